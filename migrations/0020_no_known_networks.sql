-- Networks are no longer known to an account: nothing looks sessions up by them. The column stays for the release before.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists sessions_by_network;
