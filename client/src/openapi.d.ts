/** Made by `npm run docs` from openapi.json. */
export interface paths {
    "/api/users/me/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get audit log
         * @description What the caller did, what was done to them, and the ends of their keys, newest first. With `Accept: text/csv`, the whole list as a file, without `limit` and `cursor`. No key may do this.
         */
        get: operations["listMyAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/deletion-impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What deleting would do
         * @description What would be deleted with the caller’s account, and what prevents the deletion. No key may do this.
         */
        get: operations["getDeletionImpact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get active devices
         * @description Your live sessions, most recently active first. The list has one page. No key may do this.
         */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        /**
         * End all other sessions
         * @description Your current session stays. All other devices count as unknown again. Links that were mailed to you stop working; those that let you choose a password do only if the session is fresh, so that a thief of a session cannot take them away. No key may do this.
         */
        delete: operations["endOtherDevices"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/devices/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke device session
         * @description The next request from that device gets 401. You can also end the current session. No key may do this.
         */
        delete: operations["endDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get current user
         * @description The caller, with the fields that only they and the tenant’s admins see. A key needs the scope `me:read`.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        /**
         * Delete account
         * @description Permanent. Organizations whose only member is the caller are deleted as well. No key may do this.
         */
        delete: operations["deleteMe"];
        options?: never;
        head?: never;
        /**
         * Update profile
         * @description Omitted fields keep their value; `null` clears a field. A key needs the scope `me:update`.
         */
        patch: operations["updateMe"];
        trace?: never;
    };
    "/api/users/me/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List factors
         * @description The whole list, with the recovery codes that are left, and who requires a second factor of you. No key may do this.
         */
        get: operations["listFactors"];
        put?: never;
        /**
         * Add a factor
         * @description The first factor that sign-in asks for comes with recovery codes, which are shown once, and ends all other sessions. A later one comes with recovery codes if the person has none. A second authenticator app replaces the first, and ends them, too. The session has proven two factors from then on. No key may do this.
         */
        post: operations["addFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/factors/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to add a factor
         * @description Nothing is stored. Send what you get back with a code or the new passkey. No key may do this.
         */
        post: operations["setUpFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/factors/{factorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a factor
         * @description Ends all other sessions. A way to sign in must remain, and a second factor if one is required. No key may do this.
         */
        delete: operations["removeFactor"];
        options?: never;
        head?: never;
        /**
         * Rename a factor
         * @description The name helps you to tell factors apart. No key may do this.
         */
        patch: operations["renameFactor"];
        trace?: never;
    };
    "/api/users/me/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List linked accounts
         * @description The whole list. No key may do this.
         */
        get: operations["listIdentities"];
        put?: never;
        /**
         * Link an account
         * @description Takes the attempt and what the page at `redirectUri` received, in the session that began it. No key may do this.
         */
        post: operations["linkIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/identities/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to link an account
         * @description Send the browser to `url`. The page at `redirectUri` posts what it receives to `POST /api/users/me/identities`. No key may do this.
         */
        post: operations["startLinking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/identities/{identityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an account
         * @description Ends the sessions that it began. A way to sign in must remain. No key may do this.
         */
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/avatar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload picture
         * @description The body is the picture. It becomes a square of 256 pixels in WebP without metadata, and `avatarUrl` its URL, a new one each time. A key needs the scope `me:update`.
         */
        put: operations["putMyAvatar"];
        post?: never;
        /**
         * Remove picture
         * @description Clears `avatarUrl`, and deletes the picture if it was uploaded. A key needs the scope `me:update`.
         */
        delete: operations["deleteMyAvatar"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change password
         * @description Ends all other sessions. The current one stays, and so do your keys, unless you send `endKeys`. If you have no password yet, send `newPassword` alone in a fresh session. No key may do this.
         */
        post: operations["changePassword"];
        /**
         * Remove password
         * @description Ends all other sessions. Another way to sign in must remain. If you have a factor, the session must have proven two. No key may do this.
         */
        delete: operations["removePassword"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make recovery codes
         * @description Ten new codes, shown once. All older ones stop working. No key may do this.
         */
        post: operations["makeRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm that it is you
         * @description Gives the session a new token; the old one ends at once. The device and the lifetimes stay. The confirmation has at least as many factors as the session. Without `password`, the answer is 403 `sign_in_incomplete` with the attempt. No key may do this.
         */
        post: operations["confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue signing in
         * @description Takes one proof that the attempt accepts. A wrong proof leaves the attempt usable, until there were five. An attempt to confirm also needs the session that began it.
         */
        post: operations["continueSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/undo-email-change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo email change
         * @description Takes the token that was mailed to the old address; it expires after 72 hours. The account gets the old address back, every session ends, and the password is disabled until it is reset. Factors, recovery codes and linked accounts are removed if they were added since 72 hours before the change was requested. The link to reset the password is mailed at once.
         */
        post: operations["undoEmailChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify email
         * @description Requires a session of the person to whom the mail was sent. The token mailed to a new address completes the change to it. An invitation token also verifies the invited address.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify-email/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send verification again
         * @description Links sent earlier stop working. No key may do this.
         */
        post: operations["resendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/end-session/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See which session a mail ends
         * @description What the page behind the link shows before it ends the session. It uses nothing.
         */
        post: operations["previewEndSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/end-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session from a mail
         * @description Takes the token of the mail about a new device; it expires after seven days. Ends the session and all others on the same device, which counts as unknown again. The token works once, even if the session has ended by then.
         */
        post: operations["endSessionFromMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/mail-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Email a code
         * @description Send an email address to sign in to its account with a code, or an attempt that accepts `mail_code`. A new code voids the one before. The answer and its time are the same whether or not the account exists.
         */
        post: operations["mailCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/passkey-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get options for a passkey
         * @description Options for `navigator.credentials.get`: to sign in, or for an attempt that accepts `passkey`. Nothing is stored. Ask again before they expire.
         */
        post: operations["passkeyOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description The passkey verifies its user, so it is both factors.
         */
        post: operations["signInWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forgot password
         * @description If an active user has this address, they get a mail with a link to choose a new password. The link expires after the time of `LIMIT_MAIL`, by default one hour. The answer and its time are the same whether or not the account exists.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset password
         * @description Takes the token of a mail that lets its reader choose a password. Verifies the address, cancels a pending change of address, and ends every session and every key of the person. Nobody is signed in.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/provider": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in at a provider
         * @description Send the browser to `url`. The page at `redirectUri` posts what it receives, with the attempt, to `POST /api/auth/sign-in/continue`.
         */
        post: operations["signInAtProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description The answer and its time are the same whether or not the account exists. One exception: an account that was imported with another product’s password hash takes the time of that hash, until the first sign-in replaces it.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-out/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See a sign-out
         * @description What the page shows to which an application has sent somebody to sign out. If `mustAsk` is false, the page signs out at once: the application has shown an ID token of this session, or there is no session. Else it asks first, since anybody may have sent the browser there.
         */
        post: operations["previewSignOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the current session. Without one, the answer is the same. A key or an access token has no session to end. With the `request` of an application, the answer says where to go then.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign up
         * @description A mail with a link to verify the address is sent. If too many mails were sent to it already, it can be requested later. With an invitation token, the invited address is verified at once.
         */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List user organizations
         * @description The organizations of which the caller is a member, sorted by name. A key needs the scope `me:read`.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create organization
         * @description The caller becomes the owner, and with that an admin. A person who owns `MAX_ORGANIZATIONS` organizations cannot create another one, but can still receive one by transfer. A key needs the scope `organizations:create`.
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get organization
         * @description For its members. Everybody else gets 404. A key needs the scope `organization:read`.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        /**
         * Delete organization
         * @description Permanent: members, invitations and audit log are deleted as well. Owners and admins get a mail. A key needs the scope `organization:delete`.
         */
        delete: operations["deleteOrganization"];
        options?: never;
        head?: never;
        /**
         * Update organization
         * @description Omitted fields keep their value; `null` clears a field. A key needs the scope `organization:update`.
         */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/api/organizations/{orgId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Organization audit
         * @description What happened in the organization, newest first. With `Accept: text/csv`, the whole list as a file, without `limit` and `cursor`. A key needs the scope `audit:read`.
         */
        get: operations["listOrganizationAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload logo
         * @description The body is the picture. It becomes one in WebP without metadata that fits into 512 × 512 pixels, and `logoUrl` its URL, a new one each time. A key needs the scope `organization:update`.
         */
        put: operations["putOrganizationLogo"];
        post?: never;
        /**
         * Remove logo
         * @description Clears `logoUrl`, and deletes the logo if it was uploaded. A key needs the scope `organization:update`.
         */
        delete: operations["deleteOrganizationLogo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Members of an organization of the tenant
         * @description Every member of the organization, for admins of the tenant, who need not be members themselves. With `Accept: text/csv`, the whole list as a file, without `limit` and `cursor`. A key needs the scope `members:read`.
         */
        get: operations["listTenantOrganizationMembers"];
        put?: never;
        /**
         * Add a member to an organization of the tenant
         * @description The user is a member at once, even if somebody had removed them. The owners get a mail, since this opens the organization’s data. A key needs the scope `invitations:write`.
         */
        post: operations["addTenantOrganizationMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/members/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One member of an organization of the tenant
         * @description Any member, suspended ones too, with all that they may do in the organization. A key needs the scope `members:read`.
         */
        get: operations["getTenantOrganizationMember"];
        put?: never;
        post?: never;
        /**
         * Remove a member from an organization of the tenant
         * @description As an owner of the organization could. The last owner stays: transfer the ownership first. A key needs the scope `members:remove`.
         */
        delete: operations["removeTenantOrganizationMember"];
        options?: never;
        head?: never;
        /**
         * Change a member of an organization of the tenant
         * @description As an owner of the organization could. To give a role, a later end or a reactivation takes a fresh session; to take something does not. A key gives what its scopes cover. A key needs the scope `members:update`.
         */
        patch: operations["updateTenantOrganizationMember"];
        trace?: never;
    };
    "/api/organizations/{orgId}/members/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get member
         * @description A member of the organization, by the id of the membership. `me` names the caller’s own membership. Suspended members are for callers with `members:update`; `permissions` is for them and for the member. A key needs the scope `members:read`.
         */
        get: operations["getMember"];
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description An admin removes others. Every member may leave (`me` names the caller’s own membership). A key needs the scope `members:remove`; of oneself `members:leave`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change a member
         * @description The role, the roles of the product (`grants`, the whole list), suspension and end. You can neither change a member who holds more than you, nor give what you do not hold, nor for longer. A suspended member keeps everything but can only leave. A key needs the scope `members:update`.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/api/organizations/{orgId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Every member of the organization. Sorted by date of joining by default. With `Accept: text/csv`, the whole list as a file, without `limit` and `cursor`. A key needs the scope `members:read`.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer ownership
         * @description In one step, the member becomes an owner and the caller an admin. Both get a mail. No key may do this.
         */
        post: operations["transferOwnership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer an organization’s ownership
         * @description For admins of the tenant, who need not be members. The member becomes an owner, and the owner who joined first becomes an admin, even if suspended. Both get a mail, and so do the other owners if a person does it. A key needs the scope `ownership:transfer`.
         */
        post: operations["transferTenantOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Permissions and roles
         * @description The built-in permissions and roles, and those of the product. A key needs the scope `tenant:read`.
         */
        get: operations["getAccessModel"];
        /**
         * Replace permissions and roles
         * @description Replaces all permissions and roles of the product by those of the body. What somebody or a key has goes only if `drop` names it. `was` renames a role; it is ignored once no role has the old key. The built-in part of the answer and its counts are not sent back. No key may do this.
         */
        put: operations["replaceAccessModel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/check/{permission}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check a permission
         * @description Whether the caller has the permission in the organization: 204, or 403. For proxies that ask before they forward a request. Any key may do this.
         */
        get: operations["checkPermission"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check permissions
         * @description Whether the caller has permissions in organizations, in the order of `checks`. Nothing of another line changes a line. A key of the tenant with `users:read` may ask about a user. Any key may do this.
         */
        post: operations["checkPermissions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description Every role that a member can have: `member`, `admin` and `owner`, then the roles of the product. `permissions` describes what they contain. A key needs the scope `members:read`.
         */
        get: operations["listRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Roles in an organization of the tenant
         * @description As `GET /api/organizations/:orgId/roles` shows them to an owner. Of a key, what its scopes let it give. A key needs the scope `members:read`.
         */
        get: operations["listTenantOrganizationRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/links/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See a link to join
         * @description What the page behind the link shows. It uses nothing.
         */
        post: operations["previewLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/links/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join by a link
         * @description The caller becomes a member. Members get the same answer, and use nothing. No key may do this.
         */
        post: operations["joinByLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List links to join
         * @description Newest first, ended ones too. They are kept for 90 days after their end. A key needs the scope `invitations:read`.
         */
        get: operations["listLinks"];
        put?: never;
        /**
         * Create link to join
         * @description Anybody with the link and a verified address can join as a member, `maxUses` times. It lets nobody sign up, and it ends when its maker loses the right to invite. A key needs the scope `invitations:write`.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/links/{linkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get link to join
         * @description A link in any state. A key needs the scope `invitations:read`.
         */
        get: operations["getLink"];
        put?: never;
        post?: never;
        /**
         * End link to join
         * @description It stops working. Those who have joined by it stay. A key needs the scope `invitations:write`.
         */
        delete: operations["endLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invites/{inviteId}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept invitation
         * @description The caller becomes a member. While that membership exists, accepting again gives the same answer. A key needs the scope `invitations:answer`.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invites/{inviteId}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline invitation
         * @description Only the invited person can decline. To change that, they must be invited again. A key needs the scope `invitations:answer`.
         */
        post: operations["declineInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/invites/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite many members
         * @description Sends up to 100 invitations. Each row has its own `outcome`: `sent`, or the code that a single invitation would be refused with. A key needs the scope `invitations:write`.
         */
        post: operations["inviteMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Invitations of an organization of the tenant
         * @description Newest first. A key needs the scope `invitations:read`.
         */
        get: operations["listTenantOrganizationInvitations"];
        put?: never;
        /**
         * Invite a member to an organization of the tenant
         * @description As an owner of the organization could. The mail says that an admin of the tenant invites. A key needs the scope `invitations:write`.
         */
        post: operations["inviteTenantOrganizationMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/invites/{inviteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One invitation of an organization of the tenant
         * @description An invitation in any state. Only the mail contains its link. A key needs the scope `invitations:read`.
         */
        get: operations["getTenantOrganizationInvitation"];
        put?: never;
        post?: never;
        /**
         * Revoke an invitation of an organization of the tenant
         * @description Its link stops working. Only a pending invitation can be revoked. A key needs the scope `invitations:write`.
         */
        delete: operations["revokeTenantOrganizationInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/invites/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite many members to an organization of the tenant
         * @description Sends up to 100 invitations. Each row has its own `outcome`: `sent`, or the code that a single invitation would be refused with. A key needs the scope `invitations:write`.
         */
        post: operations["inviteTenantOrganizationMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/invites/{inviteId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend an invitation of an organization of the tenant
         * @description Sends a new link that lives `expiresInDays`. Links sent earlier stop working. The caller becomes the inviter. A key needs the scope `invitations:write`.
         */
        post: operations["resendTenantOrganizationInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations
         * @description Newest first. A key needs the scope `invitations:read`.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite member
         * @description Sends a mail with a link. Both live `expiresInDays`. A key needs the scope `invitations:write`.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/invites/{inviteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get invitation
         * @description An invitation in any state. Only the mail contains its link. A key needs the scope `invitations:read`.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        /**
         * Revoke invitation
         * @description Its link stops working. Only a pending invitation can be revoked. A key needs the scope `invitations:write`.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * My invitations
         * @description Pending invitations to the caller’s verified email address, newest first. Empty while the address is unverified. A key needs the scope `me:read`.
         */
        get: operations["listMyInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invites/{inviteId}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See an invitation
         * @description What the page behind the mailed link shows. The token stays valid.
         */
        post: operations["previewInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/invites/{inviteId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend invitation
         * @description Sends a new link that lives `expiresInDays`. Links sent earlier stop working. The caller becomes the inviter. A key needs the scope `invitations:write`.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Every user of the tenant, for its admins. Newest first by default. With `Accept: text/csv`, the whole list as a file, without `limit` and `cursor`. A key needs the scope `users:read`.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create user
         * @description The person gets a mail with a link to set a password. The link expires after seven days. A key needs the scope `users:write`.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One user
         * @description Any user of the tenant, for its admins. A key needs the scope `users:read`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete user
         * @description Permanent. Organizations whose only member is the user are deleted as well. Admins delete their own accounts with `DELETE /api/users/me`, which requires a proof. A key needs the scope `users:delete`.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Update user
         * @description Omitted fields keep their value; `appMetadata` is merged. Suspending a user ends every session and every key of theirs, disables links that were mailed to the user, and revokes invitations and links that the user made. Taking the role `admin` revokes the invitations that the user sent as an admin. Making somebody an admin, and reactivating an admin, takes `currentPassword`. A key needs the scope `users:write`.
         */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/api/admin/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tenant’s organizations
         * @description Every organization of the tenant, for its admins. Sorted by name by default. A key needs the scope `organization:read`.
         */
        get: operations["listTenantOrganizations"];
        put?: never;
        /**
         * Create an organization for a user
         * @description The user becomes the owner. `MAX_ORGANIZATIONS` counts the organizations that the user owns, as if they had made it. A key needs the scope `organizations:create`.
         */
        post: operations["createTenantOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One organization of the tenant
         * @description Any organization of the tenant, for its admins. `role` is null, even if the caller is a member. A key needs the scope `organization:read`.
         */
        get: operations["getTenantOrganization"];
        put?: never;
        post?: never;
        /**
         * Delete an organization of the tenant
         * @description Permanent: members, invitations and audit log are deleted as well. Owners and admins get a mail. A key needs the scope `organization:delete`.
         */
        delete: operations["deleteTenantOrganization"];
        options?: never;
        head?: never;
        /**
         * Update an organization of the tenant
         * @description Omitted fields keep their value; `null` clears a field. A limit below the count removes nobody. A key needs the scope `organization:update`.
         */
        patch: operations["updateTenantOrganization"];
        trace?: never;
    };
    "/api/admin/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tenant settings
         * @description Only the operator can change slug, domains, sender, base URL and origins. A key needs the scope `tenant:read`.
         */
        get: operations["getTenantSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update tenant settings
         * @description Omitted fields keep their value; `null` clears the logo or the colour. The change applies from the next request on. No key may do this.
         */
        patch: operations["updateTenantSettings"];
        trace?: never;
    };
    "/api/admin/tenant/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload the tenant’s logo
         * @description The body is the picture. It becomes one in WebP without metadata that fits into 512 × 512 pixels, and `brand.logoUrl` its URL, a new one each time. No key may do this.
         */
        put: operations["putTenantLogo"];
        post?: never;
        /**
         * Remove the tenant’s logo
         * @description Clears `brand.logoUrl`, and deletes the logo if it was uploaded. No key may do this.
         */
        delete: operations["deleteTenantLogo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload the logo of an organization of the tenant
         * @description The body is the picture. It becomes one in WebP without metadata that fits into 512 × 512 pixels, and `logoUrl` its URL, a new one each time. A key needs the scope `organization:update`.
         */
        put: operations["putTenantOrganizationLogo"];
        post?: never;
        /**
         * Remove the logo of an organization of the tenant
         * @description Clears `logoUrl`, and deletes the logo if it was uploaded. A key needs the scope `organization:update`.
         */
        delete: operations["deleteTenantOrganizationLogo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tenant audit
         * @description Every entry of the tenant, newest first, with IP address and device. With `Accept: text/csv`, the whole list as a file, without `limit` and `cursor`. A key needs the scope `audit:read`.
         */
        get: operations["listTenantAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tenant of a request
         * @description What a sign-in page needs: the tenant’s brand, and who may sign up.
         */
        get: operations["getTenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/deletion-impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What deleting a user would do
         * @description What would be deleted with the account, and what prevents the deletion. A key needs the scope `users:read`.
         */
        get: operations["getUserDeletionImpact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A user’s devices
         * @description The user’s live sessions, most recently active first. The list has one page. A key needs the scope `sessions:read`.
         */
        get: operations["listUserDevices"];
        put?: never;
        post?: never;
        /**
         * End all of a user’s sessions
         * @description Ends every session of the user; if the user is you, also this one. Links that were mailed to the user stop working, and all of their devices count as unknown again. A key needs the scope `sessions:end`.
         */
        delete: operations["endUserDevices"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/devices/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a user’s device session
         * @description The next request from that device gets 401. A key needs the scope `sessions:end`.
         */
        delete: operations["endUserDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user’s factors
         * @description The whole list. A key needs the scope `users:read`.
         */
        get: operations["listUserFactors"];
        put?: never;
        post?: never;
        /**
         * Reset a user’s factors
         * @description For somebody who has lost every factor. Removes factors, recovery codes and linked accounts, turns the password off, ends all sessions and keys of the user, and mails a link to choose a new password, unless the user is suspended. An admin who has a factor needs a session that has proven two. No key may do this.
         */
        delete: operations["resetUserFactors"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user’s linked accounts
         * @description The whole list. A key needs the scope `users:read`.
         */
        get: operations["listUserIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/identities/{identityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink a user’s account
         * @description Ends the sessions that it began, and mails the user. A way to sign in must remain. No key may do this.
         */
        delete: operations["unlinkUserIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a webhook sent
         * @description Newest first. Its times are those of the events. A key needs the scope `webhooks:read`.
         */
        get: operations["listTenantWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a webhook sent
         * @description Newest first. Its times are those of the events. A key needs the scope `webhooks:read`.
         */
        get: operations["listOrganizationWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events of a webhook again
         * @description Those of `sequences` that are in its log; without a body, all that failed. 500 at most. `retried` says how many. A key needs the scope `webhooks:write`.
         */
        post: operations["retryTenantWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/webhooks/{webhookId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events of a webhook again
         * @description Those of `sequences` that are in its log; without a body, all that failed. 500 at most. `retried` says how many. A key needs the scope `webhooks:write`.
         */
        post: operations["retryOrganizationWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook
         * @description Sends an event of type `webhook.test`, which is not in the feed. `lastTest` then says how it went. A key needs the scope `webhooks:write`.
         */
        post: operations["testTenantWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook
         * @description Sends an event of type `webhook.test`, which is not in the feed. `lastTest` then says how it went. A key needs the scope `webhooks:write`.
         */
        post: operations["testOrganizationWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an organization’s webhooks
         * @description Oldest first. While the tenant offers organizations no webhooks, theirs are paused. A key needs the scope `webhooks:read`.
         */
        get: operations["listOrganizationWebhooks"];
        put?: never;
        /**
         * Make a webhook of an organization
         * @description Events of the organization are sent to its URL from then on, signed with the secret, which is shown once. Needs `events:read`, too. The owners get a mail. No key may do this.
         */
        post: operations["createOrganizationWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization’s webhook
         * @description With its place in the feed, and how sending goes. A key needs the scope `webhooks:read`.
         */
        get: operations["getOrganizationWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete an organization’s webhook
         * @description Permanent, with its log. For about a second, attempts may still begin. Needs `events:read`, too. A key needs the scope `webhooks:write`.
         */
        delete: operations["deleteOrganizationWebhook"];
        options?: never;
        head?: never;
        /**
         * Change an organization’s webhook
         * @description Omitted fields keep their value. `after` or `from` moves its place: back to send events again, forward to skip them. Another URL needs a fresh session; the owners get a mail. Needs `events:read`, too. A key needs the scope `webhooks:write`.
         */
        patch: operations["updateOrganizationWebhook"];
        trace?: never;
    };
    "/api/organizations/{orgId}/webhooks/{webhookId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of an organization’s webhook
         * @description Makes another secret, which is shown once. Meanwhile both sign: the one before for `overlapSeconds` more. An older one ends at once. Needs `events:read`, too. No key may do this.
         */
        post: operations["rotateOrganizationWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tenant’s webhooks
         * @description Oldest first. Those of organizations are in the organizations. A key needs the scope `webhooks:read`.
         */
        get: operations["listTenantWebhooks"];
        put?: never;
        /**
         * Make a webhook of the tenant
         * @description All events of the tenant are sent to its URL from then on, signed with the secret, which is shown once. The tenant’s admins get a mail. No key may do this.
         */
        post: operations["createTenantWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook of the tenant
         * @description With its place in the feed, and how sending goes. A key needs the scope `webhooks:read`.
         */
        get: operations["getTenantWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook of the tenant
         * @description Permanent, with its log. For about a second, attempts may still begin. A key needs `events:read`, too. A key needs the scope `webhooks:write`.
         */
        delete: operations["deleteTenantWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook of the tenant
         * @description Omitted fields keep their value. `after` or `from` moves its place: back to send events again, forward to skip them. Another URL needs a fresh session; the tenant’s admins get a mail. A key needs `events:read`, too. A key needs the scope `webhooks:write`.
         */
        patch: operations["updateTenantWebhook"];
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook of the tenant
         * @description Makes another secret, which is shown once. Meanwhile both sign: the one before for `overlapSeconds` more. An older one ends at once. No key may do this.
         */
        post: operations["rotateTenantWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of the tenant
         * @description Every change in the tenant, in an exact order. A key needs the scope `events:read`.
         */
        get: operations["listTenantEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of the organization
         * @description Every change in the organization, in an exact order. A key needs the scope `events:read`.
         */
        get: operations["listOrganizationEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign-in providers
         * @description Oldest first. The list has one page. No key may do this.
         */
        get: operations["listProviders"];
        put?: never;
        /**
         * Create provider
         * @description Register `callbackUrl` of the answer at the provider. A tenant has at most 20 providers. No key may do this.
         */
        post: operations["createProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/providers/{providerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get provider
         * @description `lastFailure` tells why the last failed sign-in with this provider failed. No key may do this.
         */
        get: operations["getProvider"];
        put?: never;
        post?: never;
        /**
         * Delete provider
         * @description Permanent: its identities are deleted as well, and the sessions that they began end. With more than 1,000 identities it is disabled first, and they go in batches. No key may do this.
         */
        delete: operations["deleteProvider"];
        options?: never;
        head?: never;
        /**
         * Update provider
         * @description Omitted fields keep their value. Type and issuer never change. While a provider is disabled, nobody can sign in with it; sessions go on. No key may do this.
         */
        patch: operations["updateProvider"];
        trace?: never;
    };
    "/api/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the first admin
         * @description Takes the one-time token that the service prints when it starts, or that `guildhall tenant create` prints.
         */
        post: operations["setUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an organization’s keys
         * @description Live keys first, then newest first. A key needs the scope `keys:read`.
         */
        get: operations["listOrganizationKeys"];
        put?: never;
        /**
         * Make a key of an organization
         * @description A program may do with it in the organization what its scopes say. You must hold all of them, until the key ends. The secret is shown once. No key may do this.
         */
        post: operations["createOrganizationKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization’s key
         * @description Its secret was shown when it was made, and is not shown again. A key needs the scope `keys:read`.
         */
        get: operations["getOrganizationKey"];
        put?: never;
        post?: never;
        /**
         * End an organization’s key
         * @description The next request with it gets 401. Invitations and links that were made with it end, too. A key needs the scope `keys:write`.
         */
        delete: operations["endOrganizationKey"];
        options?: never;
        head?: never;
        /**
         * Narrow an organization’s key
         * @description Omitted fields keep their value. A key can get fewer scopes and an earlier end, never more. A key needs the scope `keys:write`.
         */
        patch: operations["updateOrganizationKey"];
        trace?: never;
    };
    "/api/organizations/{orgId}/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an organization’s key
         * @description Makes another secret, which is shown once. The one before works for `overlapSeconds` more, and an older one ends at once. No key may do this.
         */
        post: operations["rotateOrganizationKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your keys
         * @description Live keys first, then newest first. No key may do this.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Make a key of yours
         * @description With the key, a program may do what its scopes say and what you may do at that moment, whichever is less. The secret is shown once. No key may do this.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a key of yours
         * @description Its secret was shown when it was made, and is not shown again. No key may do this.
         */
        get: operations["getKey"];
        put?: never;
        post?: never;
        /**
         * End a key of yours
         * @description The next request with it gets 401. Invitations and links that were made with it end, too. No key may do this.
         */
        delete: operations["endKey"];
        options?: never;
        head?: never;
        /**
         * Narrow a key of yours
         * @description Omitted fields keep their value. A key can get fewer scopes and an earlier end, never more. No key may do this.
         */
        patch: operations["updateKey"];
        trace?: never;
    };
    "/api/users/me/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a key of yours
         * @description Makes another secret, which is shown once. The one before works for `overlapSeconds` more, and an older one ends at once. No key may do this.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tenant’s keys
         * @description Live keys first, then newest first. No key may do this.
         */
        get: operations["listTenantKeys"];
        put?: never;
        /**
         * Make a key of the tenant
         * @description The back end of a product may do with it in the tenant, and in all its organizations, what its scopes say. The secret is shown once. No key may do this.
         */
        post: operations["createTenantKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a key of the tenant
         * @description Its secret was shown when it was made, and is not shown again. No key may do this.
         */
        get: operations["getTenantKey"];
        put?: never;
        post?: never;
        /**
         * End a key of the tenant
         * @description The next request with it gets 401. Invitations and links that were made with it end, too. No key may do this.
         */
        delete: operations["endTenantKey"];
        options?: never;
        head?: never;
        /**
         * Narrow a key of the tenant
         * @description Omitted fields keep their value. A key can get fewer scopes and an earlier end, never more. No key may do this.
         */
        patch: operations["updateTenantKey"];
        trace?: never;
    };
    "/api/admin/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a key of the tenant
         * @description Makes another secret, which is shown once. The one before works for `overlapSeconds` more, and an older one ends at once. No key may do this.
         */
        post: operations["rotateTenantKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A user’s keys
         * @description Live keys first, then newest first. No key may do this.
         */
        get: operations["listUserKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a user’s key
         * @description The next request with it gets 401. Invitations and links that were made with it end, too. No key may do this.
         */
        delete: operations["endUserKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List applications
         * @description Oldest first. No key may do this.
         */
        get: operations["listApplications"];
        put?: never;
        /**
         * Create application
         * @description People of the tenant can then sign in to it, by OpenID Connect. The secret of a `server` is shown once. The tenant’s admins get a mail. A tenant has at most 50 applications. No key may do this.
         */
        post: operations["createApplication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/applications/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get application
         * @description `lastLogout` tells how telling it of the end of a session went. No key may do this.
         */
        get: operations["getApplication"];
        put?: never;
        post?: never;
        /**
         * Delete application
         * @description Permanent: its tokens are refused from then on. Sessions of Guildhall go on. An application with very many grants is disabled first; if the request fails, send it again. No key may do this.
         */
        delete: operations["deleteApplication"];
        options?: never;
        head?: never;
        /**
         * Update application
         * @description Omitted fields keep their value. The kind never changes. If addresses change, the tenant’s admins get a mail. No key may do this.
         */
        patch: operations["updateApplication"];
        trace?: never;
    };
    "/api/admin/applications/{appId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of an application
         * @description Makes another secret, which is shown once. The one before works for `overlapSeconds` more, and an older one ends at once. The tenant’s admins get a mail. No key may do this.
         */
        post: operations["rotateApplicationSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenants/{tenantId}/end-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign out of an application
         * @description The end-session endpoint of OpenID Connect: applications send browsers here. The page of ours that follows signs out. If nobody is signed in, the browser goes back at once. If the hint or the address is wrong, it stays with us.
         */
        get: operations["endSession"];
        put?: never;
        /**
         * Sign out of an application, by a form
         * @description Answers with the address of the same request as GET.
         */
        post: operations["endSessionByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenants/{tenantId}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get tokens for an application
         * @description The token endpoint of OpenID Connect. A code is exchanged once; one that comes again ends the grant that it made. A refresh token is replaced at each use. The one before gives the same new one for 30 seconds, so that a lost answer can be asked for again; an older one ends the grant. Errors are those of OAuth 2.0.
         */
        post: operations["exchangeCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/authorize/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See a sign-in to an application
         * @description What the page behind the authorization endpoint shows: the application, and the first step that is missing for the session in the cookie. The request stays valid.
         */
        post: operations["previewAuthorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a sign-in to an application
         * @description Requires the cookie of a session for which no step is missing. This is the click of the step `continue`: pages send it only after a click, or right after a sign-in or a confirmation.
         */
        post: operations["completeAuthorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenants/{tenantId}/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in to an application
         * @description The authorization endpoint of OpenID Connect: applications send browsers here. Until the application and the redirect URI are known, what is wrong is answered with 400, and to a browser with a page. After that the application is told, by a redirect with `error`: `login_required`, `interaction_required`, `account_selection_required`, `unsupported_response_type`, `invalid_scope`, `invalid_request`, `request_not_supported`, `request_uri_not_supported`, `access_denied`. If the person is signed in and nothing is missing, there is no page. Unknown parameters are ignored.
         */
        get: operations["authorize"];
        put?: never;
        /**
         * Sign in to an application, by a form
         * @description Answers with the address of the same request as GET.
         */
        post: operations["authorizeByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenants/{tenantId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token of an application
         * @description Ends the grant of a refresh token or an access token: all its tokens are refused from then on. The session stays. The answer is the same for an unknown token.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenants/{tenantId}/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Information about the user of an access token
         * @description Needs an access token of an application as `Authorization: Bearer …`, with the scope `openid`. Other scopes open more claims. Everything is as it is now. If the tenant, or the organization of the grant, requires a second factor that the session has not proven, the answer asks for it (RFC 9470).
         */
        get: operations["getUserInfo"];
        put?: never;
        /**
         * Information about the user of an access token
         * @description Needs an access token of an application as `Authorization: Bearer …`, with the scope `openid`. Other scopes open more claims. Everything is as it is now. If the tenant, or the organization of the grant, requires a second factor that the session has not proven, the answer asks for it (RFC 9470).
         */
        post: operations["postUserInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/caller": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who is calling
         * @description Whose session, key or access token it is, and what the caller may do in an organization now. For the server of a product, which asks this with the token of a request that it got. Any key may do this.
         */
        get: operations["getCaller"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenants/{tenantId}/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The issuer of tokens
         * @description Where the keys are that check the tenant’s tokens; once the tenant has an application, all that its OpenID Connect offers. Not found before the tenant’s first token or application.
         */
        get: operations["getIssuer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenants/{tenantId}/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The keys that check tokens
         * @description A key is here a day before it signs, and until the last session is over in which it has signed. Not found before the tenant’s first token.
         */
        get: operations["listSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a token
         * @description Signs a token for a service that checks it by itself, with the keys at `jwks.json` below its issuer. It cannot be revoked, and the API does not accept it. Claims (RFC 9068): `iss`, `sub`, `aud`, `client_id`, `iat`, `exp`, `jti`, `scope` (permissions, separated by spaces), `auth_time` (of a session), `sid` (the session or key), and `org` if an organization is named. A key needs the scope `tokens:create`.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credentials/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a credential
         * @description Whose a session, a key or an application’s access token is, and whether it may do something in an organization now. For the server of a product, which sends its own key, and the credential of a request that it got. Counts as use of the session. Only a key of the tenant with the scope `credentials:verify` may do this.
         */
        post: operations["verifyCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mailbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the local mailbox
         * @description Newest first. Exists only without `SMTP_URL`, and only while the service listens on loopback.
         */
        get: operations["listMails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process lives
         * @description 200 while the process runs. Does not query the database.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether requests can be served
         * @description 503 while the database cannot be reached, and while the service is stopping.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What went wrong (RFC 9457). Go by `code`. */
        Problem: {
            /** Format: uri */
            type: string;
            title: string;
            /** Format: int32 */
            status: number;
            /** @enum {string} */
            code: "invalid_request" | "malformed_json" | "invalid_id" | "invalid_cursor" | "https_required" | "ambiguous_credentials" | "unauthenticated" | "cross_site" | "not_found" | "method_not_allowed" | "request_in_progress" | "version_mismatch" | "too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "internal" | "unavailable" | "unknown_passkey" | "sign_in_incomplete" | "confirmation_required" | "second_factor_required" | "wrong_proof" | "sign_in_method_off" | "provider_refused" | "provider_without_email" | "authorization_incomplete" | "last_way_in" | "no_factor" | "passkey_taken" | "identity_taken" | "second_factor_in_use" | "request_expired" | "attempt_spent" | "provider_unavailable" | "membership_suspended" | "removed_member" | "not_offered" | "role_in_use" | "owner_cannot_end" | "members_full" | "external_id_taken" | "link_ended" | "tenant_mismatch" | "confirmation_mismatch" | "invalid_credentials" | "forbidden" | "role_above_yours" | "insufficient_scope" | "wrong_password" | "user_suspended" | "sign_up_closed" | "email_domain_not_allowed" | "invitation_for_another_email" | "email_not_verified" | "sign_in_required" | "email_taken" | "slug_taken" | "already_a_member" | "already_invited" | "already_owner" | "already_verified" | "invitation_not_pending" | "last_owner" | "last_admin" | "sole_owner" | "limit_reached" | "key_ended" | "no_secret" | "invitation_expired" | "invitation_revoked" | "invitation_declined" | "invitation_used" | "token_spent" | "webhook_disabled" | "events_expired" | "too_many_attempts" | "overloaded";
            detail: string;
            instance: string;
            requestId: string;
            /** @description Everything that is wrong, with `invalid_request`. */
            errors?: {
                /** @description A JSON pointer into the body, or `?name` for a query parameter. Empty for the body as a whole, and for a header, which `detail` names. */
                pointer: string;
                /** @enum {string} */
                code: "required" | "unknown_field" | "wrong_type" | "too_short" | "too_long" | "out_of_range" | "invalid_format" | "not_allowed" | "common_password" | "contains_identity";
                detail: string;
            }[];
            /** @description With `already_invited`. */
            invitationId?: string;
            /** @description With `insufficient_scope`: the scope that a key or an access token needs. Null: a session is needed. */
            scope?: string | null;
            /** @description With `role_above_yours`: the permissions that the caller does not hold. */
            missing?: string[];
            /**
             * Format: date-time
             * @description With `role_above_yours`: the latest end that the caller can give. Null: an end is not what is lacking.
             */
            until?: string | null;
            /** @description With `role_in_use`: the keys of roles that members have. */
            roles?: string[];
            /** @description With `role_in_use`: the permissions of the product that somebody or a key has. */
            permissions?: string[];
            /** @description With `rate_limited`: the limit, as `RateLimit-Policy` names it. */
            policy?: string;
            attempt?: components["schemas"]["Attempt"];
            /**
             * @description With `authorization_incomplete`: the first step that is missing.
             * @enum {string}
             */
            step?: "sign_in" | "sign_up" | "confirm" | "second_factor" | "verify_email" | "organization" | "continue";
            /** @description With `request_expired`: where the application begins a sign-in. */
            startUrl?: string | null;
            /**
             * Format: int64
             * @description With `events_expired`: the least place after which no event is missing.
             */
            earliest?: number;
            /**
             * Format: int32
             * @description With `wrong_proof`: how many more proofs the attempt takes.
             */
            triesLeft?: number;
            /**
             * Format: int32
             * @description With `confirmation_required`: how many seconds a confirmation lasts.
             */
            maxAge?: number;
            /**
             * @description With `second_factor_required`: whose policy requires it.
             * @enum {string}
             */
            by?: "tenant" | "organization";
            /** @description With `second_factor_required`: what the user has. */
            methods?: string[];
            /** @description With `sole_owner`: the organizations that would be left without an owner. */
            organizations?: {
                id: string;
                name: string;
                slug: string;
            }[];
        };
        /** @description What went wrong, as OAuth 2.0 tells it (RFC 6749, 5.2). Go by `error`. */
        OAuthError: {
            /** @enum {string} */
            error: "invalid_request" | "invalid_grant" | "invalid_scope" | "invalid_target" | "unauthorized_client" | "unsupported_grant_type" | "invalid_client" | "invalid_token" | "insufficient_user_authentication" | "insufficient_scope" | "temporarily_unavailable" | "server_error";
            error_description: string;
        };
        /** @description An entry of the audit log: who did what to whom, and when. */
        AuditEntry: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            occurredAt: string;
            /** @enum {string} */
            action: "user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.confirmed" | "session.refused" | "session.revoked" | "session.signed_out" | "session.expired" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "password.removed" | "factor.added" | "factor.removed" | "factors.reset" | "recovery_codes.made" | "recovery_code.used" | "identity.linked" | "identity.unlinked" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "link.created" | "link.ended" | "member.joined" | "member.role_changed" | "member.grants_changed" | "member.suspended" | "member.reactivated" | "member.expiry_changed" | "member.expired" | "member.removed" | "member.left" | "key.created" | "key.narrowed" | "key.rotated" | "key.holder_left" | "key.ended" | "access.updated" | "provider.created" | "provider.updated" | "provider.deleted" | "application.created" | "application.updated" | "application.secret_rotated" | "application.deleted" | "application.signed_in" | "application.token_reused" | "webhook.created" | "webhook.updated" | "webhook.rotated" | "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "webhook.deleted" | "tenant.created" | "tenant.updated" | "tenant.keys_rotated" | "tenant.imported";
            actor: {
                /** @enum {string} */
                type: "user" | "key" | "operator" | "system" | "anonymous" | "deleted_user";
                /** @example user_01k9zq3v5hf8gs4m2y7c6t0wdn */
                id: string | null;
                /** @example Ann */
                name: string | null;
            };
            /** @description The key of theirs by which a person acted; null for a session. `name` is null where `ip` is not shown, and if the key is gone. */
            via: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /** @example Ann */
                name: string | null;
            } | null;
            /** @description The application that acted for a person, by its access token; null if none did. `name` is null if the application is gone. */
            application: {
                /**
                 * @description The id of an application: `app_` and 26 letters and digits.
                 * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /** @example Ann */
                name: string | null;
            } | null;
            target: {
                /** @enum {string} */
                type: "user" | "organization" | "invitation" | "link" | "key" | "provider" | "application" | "webhook" | "tenant" | "deleted_user";
                /** @example user_01k9zq3v5hf8gs4m2y7c6t0wdn */
                id: string | null;
                /** @example Ann */
                name: string | null;
            };
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            /** @example 203.0.113.7 */
            ip: string | null;
            /** @example Chrome on macOS */
            device: string | null;
            requestId: string | null;
            /** @description Old and new values of what changed. Of an object, such as metadata, only the keys that changed are here. A value of more than 256 characters is cut and ends with its length, as in `Once upon a time… (3000 characters)`. An entry has 4 KiB of values; `omittedKeys` counts the changed keys for which there was no room. */
            details: {
                [key: string]: unknown;
            } | null;
        };
        /** @description An authenticator app, a passkey or a security key. */
        Factor: {
            /**
             * @description The id of a factor: `fac_` and 26 letters and digits.
             * @example fac_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "totp" | "passkey";
            /**
             * Format: name
             * @example Ann
             */
            name: string;
            /** @description Whether it signs in alone: a passkey that verified its user. */
            canSignIn: boolean;
            /** @description Whether the passkey is synced between devices. */
            synced: boolean;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUsedAt: string | null;
        };
        /** @description The new passkey: `toJSON()` of what `navigator.credentials.create` returns. At most 8 KiB. */
        RegistrationCredential: {
            /** @example dGVzdA */
            id: string;
            /** @example dGVzdA */
            rawId: string;
            /** @enum {string} */
            type: "public-key";
            response: {
                /** @example dGVzdA */
                clientDataJSON: string;
                /** @example dGVzdA */
                attestationObject: string;
                transports?: string[];
            };
            clientExtensionResults: {
                credProps?: {
                    rk?: boolean;
                };
            };
        };
        /** @description For `navigator.credentials.create`, through `PublicKeyCredential.parseCreationOptionsFromJSON`. */
        PasskeyCreationOptions: {
            rp: {
                /** @example example.com */
                id: string;
                /** @example The Shop */
                name: string;
            };
            user: {
                /** @example AZ8_m0BkfQqJt5LxkYvC3g */
                id: string;
                /** @example ann@example.com */
                name: string;
                /** @example Ann */
                displayName: string;
            };
            /** @example dGVzdA */
            challenge: string;
            pubKeyCredParams: {
                /** @enum {string} */
                type: "public-key";
                /**
                 * Format: int32
                 * @example -7
                 */
                alg: number;
            }[];
            /**
             * Format: int32
             * @example 600000
             */
            timeout: number;
            excludeCredentials: {
                /** @enum {string} */
                type: "public-key";
                /** @example dGVzdA */
                id: string;
                transports?: string[];
            }[];
            authenticatorSelection: {
                /** @enum {string} */
                residentKey: "required" | "preferred" | "discouraged";
                requireResidentKey: boolean;
                /** @enum {string} */
                userVerification: "required" | "preferred" | "discouraged";
            };
            /** @example none */
            attestation: string;
            extensions: {
                credProps: boolean;
            };
        };
        /** @description An account at a provider that signs the user in. */
        Identity: {
            /**
             * @description The id of an identity: `idn_` and 26 letters and digits.
             * @example idn_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            provider: {
                /**
                 * @description The id of a provider: `idp_` and 26 letters and digits.
                 * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /** @enum {string} */
                type: "google" | "microsoft" | "github" | "oidc";
                /** @example Google */
                name: string;
            };
            /**
             * @description The address that the provider gave last.
             * @example ann@example.com
             */
            email: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUsedAt: string | null;
        };
        /** @description A user, as shown to themselves and to admins of the tenant. */
        User: {
            /**
             * @description The id of a user: `user_` and 26 letters and digits.
             * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example ann@example.com */
            email: string;
            emailVerified: boolean;
            /** @description An address that is not verified yet. */
            pendingEmail: string | null;
            /**
             * Format: name
             * @example Ann
             */
            name: string | null;
            /**
             * Format: picture-url
             * @example https://example.com/logo.png
             */
            avatarUrl: string | null;
            /**
             * Format: locale
             * @description A language tag (BCP 47).
             * @example en-GB
             */
            locale: string | null;
            /**
             * Format: time-zone
             * @description The IANA name of a time zone.
             * @example Europe/Berlin
             */
            timeZone: string | null;
            /**
             * @description A JSON object with your own content, at most 8 KiB and five levels deep.
             * @example {
             *       "plan": "team"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description A JSON object with your own content, at most 8 KiB and five levels deep.
             * @example {
             *       "plan": "team"
             *     }
             */
            appMetadata: {
                [key: string]: unknown;
            };
            /**
             * @example user
             * @enum {string}
             */
            role: "admin" | "user";
            /** @enum {string} */
            status: "active" | "suspended";
            /** @description Whether the user can sign in with a password. */
            hasPassword: boolean;
            /** @description Whether the user has an authenticator app, a passkey or a security key. */
            hasSecondFactor: boolean;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            lastActiveAt: string | null;
            /**
             * Format: line
             * @description Your own id of it. No two users of a tenant have the same, and no two organizations.
             * @example customer-1042
             */
            externalId?: string | null;
        };
        /** @description The answer of a passkey: `toJSON()` of what `navigator.credentials.get` returns. At most 8 KiB. */
        AssertionCredential: {
            /** @example dGVzdA */
            id: string;
            /** @example dGVzdA */
            rawId: string;
            /** @enum {string} */
            type: "public-key";
            response: {
                /** @example dGVzdA */
                clientDataJSON: string;
                /** @example dGVzdA */
                authenticatorData: string;
                /** @example dGVzdA */
                signature: string;
                /** @example AZ8_m0BkfQqJt5LxkYvC3g */
                userHandle?: string | null;
            };
            clientExtensionResults: {
                credProps?: {
                    rk?: boolean;
                };
            };
        };
        /** @description For `navigator.credentials.get`, through `PublicKeyCredential.parseRequestOptionsFromJSON`. */
        PasskeyRequestOptions: {
            /** @example example.com */
            rpId: string;
            /** @example dGVzdA */
            challenge: string;
            /**
             * Format: int32
             * @example 600000
             */
            timeout: number;
            allowCredentials?: {
                /** @enum {string} */
                type: "public-key";
                /** @example dGVzdA */
                id: string;
                transports?: string[];
            }[];
            /** @enum {string} */
            userVerification: "required" | "preferred" | "discouraged";
        };
        /** @description A session: a device on which somebody is signed in. */
        Device: {
            /**
             * @description The id of a device: `dev_` and 26 letters and digits.
             * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example Chrome on macOS */
            name: string;
            /** @example Chrome */
            browser: string | null;
            /** @example macOS */
            os: string | null;
            /** @enum {string} */
            type: "desktop" | "mobile" | "tablet" | "tv" | "bot" | "other";
            /** @example 203.0.113.7 */
            ip: string | null;
            /** @description Whether this is the session of the request. */
            current: boolean;
            /** @description How its user signed in, or confirmed it last. */
            methods: ("password" | "passkey" | "totp" | "recovery_code" | "mail_code" | "provider")[];
            /**
             * Format: int32
             * @description 2 after two factors.
             */
            assurance: number;
            /**
             * Format: date-time
             * @description The last sign-in or confirmation.
             * @example 2026-01-31T09:30:00.000Z
             */
            authenticatedAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            lastActiveAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string;
            /** @description Into which the person has signed in with this session. */
            applications: {
                /**
                 * @description The id of an application: `app_` and 26 letters and digits.
                 * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Acme
                 */
                name: string;
                /**
                 * Format: date-time
                 * @description When the person signed in to it.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                since: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastUsedAt: string;
            }[];
        };
        /** @description The user and the new session. */
        SignedIn: {
            user: components["schemas"]["User"];
            session: {
                /**
                 * @description Absent when the session is a cookie.
                 * @example ghs_01k9zq3v5hf8gs4m2y7c6t0wdn.…
                 */
                token?: string;
                /**
                 * @description Identifies this device at later sign-ins. Store it on the device, keep it after the session ends, and send it when somebody signs up or in there again. Absent when the session is a cookie: the device then has a cookie too. Also absent after a confirmation: keep the one that the device has.
                 * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                 */
                deviceToken?: string;
                device: components["schemas"]["Device"];
            };
        };
        /** @description A half-done sign-in: one step is missing. */
        Attempt: {
            /**
             * @description Send it with the next proof. Keep it in the tab that began the sign-in.
             * @example gha_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
             */
            token: string;
            /**
             * @description What is proven next.
             * @enum {string}
             */
            next: "first_factor" | "second_factor";
            /** @description The proofs that are accepted now. */
            methods: ("password" | "passkey" | "totp" | "recovery_code" | "mail_code" | "provider")[];
            /** @description The identity that is linked to the account, once the account is proven. */
            link: {
                provider: {
                    /**
                     * @description The id of a provider: `idp_` and 26 letters and digits.
                     * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                    name: string;
                };
                email: string | null;
            } | null;
            /** Format: int32 */
            triesLeft: number;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string;
        };
        /** @description Permanently deleted. */
        Deleted: {
            deleted: boolean;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            deletedAt: string;
        };
        /** @description An organization, and the caller’s role in it. */
        Organization: {
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
             * @example acme
             */
            slug: string;
            /**
             * Format: name
             * @example Acme
             */
            name: string;
            /**
             * Format: picture-url
             * @example https://example.com/logo.png
             */
            logoUrl: string | null;
            /**
             * @description A JSON object with your own content, at most 8 KiB and five levels deep.
             * @example {
             *       "plan": "team"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description Whether members need a second factor for the organization’s routes.
             * @example optional
             * @enum {string}
             */
            secondFactor: "optional" | "required";
            /**
             * Format: int32
             * @example 3
             */
            memberCount: number;
            /**
             * Format: int32
             * @description The most members. Null: as many as the tenant allows.
             */
            memberLimit: number | null;
            /** @description The caller’s own. Null for admins of the tenant, who need not be members. */
            membership: {
                /**
                 * @description The id of a membership: `mem_` and 26 letters and digits.
                 * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /** @enum {string} */
                status: "active" | "suspended";
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string | null;
            } | null;
            /** @enum {string|null} */
            role: "member" | "admin" | "owner" | null;
            /** @description The caller’s role and every role that it includes. */
            roles: ("member" | "admin" | "owner")[];
            /** @description All that the caller may do there now, if they are a member. Only in the answer to `getOrganization`. */
            permissions?: string[];
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /**
             * Format: line
             * @description Your own id of it. No two users of a tenant have the same, and no two organizations.
             * @example customer-1042
             */
            externalId?: string | null;
        };
        /** @description A user, as shown to others. */
        Person: {
            /**
             * @description The id of a user: `user_` and 26 letters and digits.
             * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * Format: name
             * @example Ann
             */
            name: string | null;
        };
        /** @description A role of the product that a member has. */
        Grant: {
            /**
             * @description Lowercase letters, digits and hyphens, starting with a letter.
             * @example billing
             */
            role: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
            grantedBy: components["schemas"]["Person"] | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            grantedAt: string;
        };
        /** @description A membership: a user in an organization, with a role. */
        Member: {
            /**
             * @description The id of a membership: `mem_` and 26 letters and digits.
             * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            user: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Ann
                 */
                name: string | null;
                /** @example ann@example.com */
                email: string;
                /**
                 * Format: picture-url
                 * @example https://example.com/logo.png
                 */
                avatarUrl: string | null;
                /** @enum {string} */
                status: "active" | "suspended";
                /** @description For callers with `members:update`; null for others. */
                hasSecondFactor: boolean | null;
            };
            /** @enum {string} */
            role: "member" | "admin" | "owner";
            /** @description The role, every role that it includes, and the roles that are granted. */
            roles: string[];
            /** @description Roles of the product that the member has. */
            grants: components["schemas"]["Grant"][];
            /**
             * @description Of the membership; `user.status` is that of the account.
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * Format: date-time
             * @description When the membership ends. Null: no end.
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description To the hour, but not before `joinedAt`. Null for callers without `members:update`.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastActiveAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            joinedAt: string;
            invitedBy: components["schemas"]["Person"] | null;
        };
        /** @description A member, with everything that they may do. */
        MemberDetails: {
            /**
             * @description The id of a membership: `mem_` and 26 letters and digits.
             * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            user: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Ann
                 */
                name: string | null;
                /** @example ann@example.com */
                email: string;
                /**
                 * Format: picture-url
                 * @example https://example.com/logo.png
                 */
                avatarUrl: string | null;
                /** @enum {string} */
                status: "active" | "suspended";
                /** @description For callers with `members:update`; null for others. */
                hasSecondFactor: boolean | null;
            };
            /** @enum {string} */
            role: "member" | "admin" | "owner";
            /** @description The role, every role that it includes, and the roles that are granted. */
            roles: string[];
            /** @description Roles of the product that the member has. */
            grants: components["schemas"]["Grant"][];
            /**
             * @description Of the membership; `user.status` is that of the account.
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * Format: date-time
             * @description When the membership ends. Null: no end.
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description To the hour, but not before `joinedAt`. Null for callers without `members:update`.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastActiveAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            joinedAt: string;
            invitedBy: components["schemas"]["Person"] | null;
            /** @description All that the member may do now. Only for the member and for callers with `members:update`. */
            permissions?: string[];
        };
        /** @description What may be done in an organization. */
        Permission: {
            /**
             * @description A noun and a verb, such as `invoices:write`.
             * @example invoices:write
             */
            key: string;
            /**
             * Format: name
             * @example Change invoices
             */
            name: string;
            /**
             * Format: line
             * @example Write, send and void invoices.
             */
            description: string | null;
            /**
             * @description This role and those above it have the permission without a grant.
             * @enum {string}
             */
            minimumRole: "member" | "admin" | "owner";
            builtIn: boolean;
            /** @description Whether roles of the product may contain it. */
            grantable: boolean;
        };
        /** @description What may be done in an organization, and the roles that bundle it. */
        AccessModel: {
            /** @description The built-in ones first. */
            permissions: components["schemas"]["Permission"][];
            /** @description The built-in ones first. */
            roles: {
                /**
                 * @description Null for the roles `member`, `admin` and `owner`.
                 * @example rol_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string | null;
                /**
                 * @description Lowercase letters, digits and hyphens, starting with a letter.
                 * @example billing
                 */
                key: string;
                /**
                 * Format: name
                 * @example Change invoices
                 */
                name: string;
                /**
                 * Format: line
                 * @example Write, send and void invoices.
                 */
                description: string | null;
                permissions: string[];
                /** @enum {string} */
                source: "builtIn" | "tenant";
                /**
                 * Format: int32
                 * @description Members who have it, in all organizations. Exact to 10,000.
                 */
                memberCount: number;
            }[];
        };
        /** @description A role: a bundle of permissions. */
        Role: {
            /**
             * @description Null for the roles `member`, `admin` and `owner`.
             * @example rol_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string | null;
            /**
             * @description Lowercase letters, digits and hyphens, starting with a letter.
             * @example billing
             */
            key: string;
            /**
             * Format: name
             * @example Change invoices
             */
            name: string;
            /**
             * Format: line
             * @example Write, send and void invoices.
             */
            description: string | null;
            permissions: string[];
            /** @enum {string} */
            source: "builtIn" | "tenant";
            /** @description Whether the caller may give it: they hold all of it, and may invite or change members. */
            mayGrant: boolean;
            /**
             * Format: date-time
             * @description The latest end with which the caller may give it: they hold it only until then. Null: it needs no end.
             * @example 2026-01-31T09:30:00.000Z
             */
            mayGrantUntil: string | null;
            /** @description Whether a link of the caller may give it: they may grant it, and it has no built-in permission. */
            mayShare: boolean;
        };
        /** @description A link by which anybody who has it can join as a member. */
        Link: {
            /**
             * @description The id of a link to join: `lnk_` and 26 letters and digits.
             * @example lnk_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * @description With it, anybody can join. Null when the link has ended, and for those who could not make it now: without `invitations:write`, or if it gives what they do not hold, or for longer.
             * @example https://accounts.example.com/join#token=ghl_…
             */
            url: string | null;
            /** @description Roles of the product that a membership by it gets. */
            grants: {
                /**
                 * @description Lowercase letters, digits and hyphens, starting with a letter.
                 * @example billing
                 */
                role: string;
                /**
                 * Format: name
                 * @example Change invoices
                 */
                name: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string | null;
            }[];
            /**
             * Format: int32
             * @example 25
             */
            maxUses: number;
            /**
             * Format: int32
             * @example 3
             */
            uses: number;
            /** @description The domains of those who may join. Empty: all. */
            emailDomains: string[];
            /**
             * Format: date-time
             * @description When the memberships end. Null: no end.
             * @example 2026-01-31T09:30:00.000Z
             */
            memberExpiresAt: string | null;
            /** @enum {string} */
            status: "live" | "ended";
            /**
             * @description `maker`: its maker lost the right to invite. `used`: as often as it may be.
             * @enum {string|null}
             */
            endedBecause: "revoked" | "expired" | "used" | "maker" | null;
            createdBy: components["schemas"]["Maker"] | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string;
        };
        /** @description A person, or the key of an organization or of the tenant. */
        Maker: {
            /** @example user_01k9zq3v5hf8gs4m2y7c6t0wdn */
            id: string;
            /**
             * Format: name
             * @example Ann
             */
            name: string | null;
        };
        /** @description An invitation to an organization. Only the mail contains its link. */
        Invitation: {
            /**
             * @description The id of an invitation: `inv_` and 26 letters and digits.
             * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            organization: {
                /**
                 * @description The id of an organization: `org_` and 26 letters and digits.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Acme
                 */
                name: string;
                /** @example acme */
                slug: string;
                /**
                 * Format: picture-url
                 * @example https://example.com/logo.png
                 */
                logoUrl: string | null;
            };
            /**
             * @description Null after the invited person has deleted their account.
             * @example bob@example.com
             */
            email: string | null;
            /** @enum {string} */
            role: "member" | "admin" | "owner";
            /** @description Roles of the product that a membership by it gets. */
            grants: {
                /**
                 * @description Lowercase letters, digits and hyphens, starting with a letter.
                 * @example billing
                 */
                role: string;
                /**
                 * Format: name
                 * @example Change invoices
                 */
                name: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string | null;
            }[];
            /**
             * Format: date-time
             * @description When the membership ends. Null: no end.
             * @example 2026-01-31T09:30:00.000Z
             */
            memberExpiresAt: string | null;
            /**
             * Format: locale
             * @description The language of the mail, where the service has it.
             * @example en-GB
             */
            locale: string | null;
            /** @description Whether a mail tells of it. */
            mailed: boolean;
            /** @enum {string} */
            status: "pending" | "accepted" | "declined" | "revoked" | "expired";
            invitedBy: components["schemas"]["Maker"] | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string;
        };
        /** @description All settings of a tenant. */
        TenantSettings: {
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example shop */
            slug: string;
            /**
             * Format: name
             * @example The Shop
             */
            name: string;
            brand: {
                /**
                 * Format: picture-url
                 * @example https://example.com/logo.png
                 */
                logoUrl: string | null;
                /** @example #0f766e */
                color: string | null;
            };
            /** @enum {string} */
            signUp: "open" | "invited_only" | "closed";
            /** @description The domains that addresses may have when people sign up, are invited or change their address. Empty: all. Subdomains are not included. */
            allowedEmailDomains: string[];
            /**
             * Format: int32
             * @description In characters.
             */
            passwordMinimum: number;
            /**
             * Format: int32
             * @example 1209600
             */
            sessionIdleSeconds: number;
            /**
             * Format: int32
             * @example 2592000
             */
            sessionAbsoluteSeconds: number;
            /**
             * Format: int32
             * @example 34560000
             */
            auditRetentionSeconds: number;
            /**
             * Format: int32
             * @description How long events are kept. Never longer than the audit log.
             * @example 2592000
             */
            eventRetentionSeconds: number;
            /** @description Whether pages may show pictures from other servers. */
            remotePictures: boolean;
            /**
             * @description Who needs a second factor: nobody, the tenant’s admins, or everybody. Changing it needs a fresh session, and turning it on one with two factors.
             * @example optional
             * @enum {string}
             */
            secondFactor: "optional" | "admins" | "required";
            /** @description Whether organizations may have links to join. Off: existing ones are dead. */
            shareLinks: boolean;
            /**
             * Format: int32
             * @description The most members of an organization that has no limit of its own. Null: any number.
             */
            memberLimit: number | null;
            /** @description Whether a mailed code signs in. Changing it needs a fresh session. */
            mailCodes: boolean;
            /**
             * Format: int32
             * @description How long a signed token lives at most.
             * @example 300
             */
            tokenSeconds: number;
            /** @description For whom tokens may be signed; the first is the default. Empty: for the tenant’s id. Never the id of an application, for which ID tokens are. */
            tokenAudiences: string[];
            /** @description Whether people may have keys. Off: existing ones are refused. */
            personalKeys: boolean;
            /** @description Whether organizations may have keys. Off: existing ones are refused. */
            organizationKeys: boolean;
            /** @description Whether organizations may have webhooks. Off: existing ones are paused. */
            organizationWebhooks: boolean;
            /**
             * Format: int32
             * @description How long a key of an organization or of the tenant lives on after its holder, who knows its secret, has lost the right to it.
             * @example 604800
             */
            keyGraceSeconds: number;
            domains: string[];
            /** @example The Shop <hello@example.com> */
            mailFrom: string | null;
            /** @example https://accounts.example.com */
            baseUrl: string | null;
            allowedOrigins: string[];
            /**
             * Format: int32
             * @description How many people only a mailed code lets in: no password, no passkey that signs in, no provider that is enabled. Null while `mailCodes` is off, and above 10,000 people without a password.
             */
            onlyMailCodesCount: number | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description The public settings of a tenant. */
        Tenant: {
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example shop */
            slug: string;
            /**
             * Format: name
             * @example The Shop
             */
            name: string;
            brand: {
                /**
                 * Format: picture-url
                 * @example https://example.com/logo.png
                 */
                logoUrl: string | null;
                /** @example #0f766e */
                color: string | null;
            };
            /** @enum {string} */
            signUp: "open" | "invited_only" | "closed";
            /**
             * Format: int32
             * @description In characters.
             */
            passwordMinimum: number;
            /** @description Whether pages may show pictures from other servers. */
            remotePictures: boolean;
            /** @description Whether organizations may have links to join. Off: existing ones are dead. */
            shareLinks: boolean;
            /** @description Whether people may have keys. Off: existing ones are refused. */
            personalKeys: boolean;
            /** @description Whether organizations may have keys. Off: existing ones are refused. */
            organizationKeys: boolean;
            /** @description Whether organizations may have webhooks. Off: existing ones are paused. */
            organizationWebhooks: boolean;
            /** @description The ways to sign in beside a password. */
            signIn: {
                /**
                 * @description The base of the tenant’s sign-in pages, where its passkeys work. On the machine itself its host is `localhost`, because an IP address has no passkeys.
                 * @example https://accounts.example.com
                 */
                url: string;
                /**
                 * @description The WebAuthn RP id. Null: the tenant has no passkeys.
                 * @example example.com
                 */
                passkeyDomain: string | null;
                /** @description Whether a mailed code signs in. */
                mailCodes: boolean;
                providers: {
                    /**
                     * @description The id of a provider: `idp_` and 26 letters and digits.
                     * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                    /** @enum {string} */
                    type: "google" | "microsoft" | "github" | "oidc";
                    /** @example Google */
                    name: string;
                }[];
            };
            /** @description The application that pages opened from mails lead on to. */
            homeApplication: {
                /**
                 * @description The id of an application: `app_` and 26 letters and digits.
                 * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Acme
                 */
                name: string;
                /**
                 * Format: https-url
                 * @example https://example.com/logo.png
                 */
                logoUrl: string | null;
                /**
                 * @description Where it begins a sign-in by itself.
                 * @example https://app.example.com/callback
                 */
                startUrl: string | null;
            } | null;
        };
        /** @description An event that was sent by a webhook, or was to be. */
        Delivery: {
            /**
             * Format: int64
             * @description The place of the event in the feed.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            eventId: string;
            /**
             * @description The type of the event.
             * @example member.joined
             */
            type: string;
            /**
             * @description `failed`: it is not tried again by itself.
             * @enum {string}
             */
            status: "delivered" | "retrying" | "failed";
            /** Format: int32 */
            attempts: number;
            lastAttempt: {
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                at: string;
                /**
                 * Format: int32
                 * @description Of the answer, if there was one.
                 */
                status: number | null;
                /**
                 * @description Null: it was delivered, or it goes on.
                 * @enum {string|null}
                 */
                error: "dns" | "address" | "refused" | "reset" | "tls" | "timeout" | "redirect" | "status" | "too_large" | null;
                /**
                 * Format: int32
                 * @example 85
                 */
                milliseconds: number;
            };
            /**
             * Format: date-time
             * @description When it is tried again. While the webhook is failing, not before its next trial. Null while the webhook is disabled or paused.
             * @example 2026-01-31T09:30:00.000Z
             */
            nextAt: string | null;
        };
        /** @description Where events of the tenant or of an organization are sent. */
        Webhook: {
            /**
             * @description The id of a webhook: `whk_` and 26 letters and digits.
             * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * Format: name
             * @description What the webhook is for.
             * @example Billing
             */
            name: string;
            /**
             * Format: line
             * @description Where events are sent.
             * @example https://billing.example.com/guildhall
             */
            url: string;
            /** @description Types and families of events that are sent. Empty: all. */
            types: string[];
            /**
             * @description Whose it is. Null: the tenant’s.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            /**
             * @description `failing`: several events in a row failed; one is tried now and then, and the first success makes it active. `disabled`: nothing is sent.
             * @enum {string}
             */
            status: "active" | "failing" | "disabled";
            /**
             * @description A person has disabled it, it failed for five days, or its endpoint answered 410.
             * @enum {string|null}
             */
            disabledBecause: "person" | "failures" | "gone" | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description While it is failing: when one event is tried next. Null if it is paused.
             * @example 2026-01-31T09:30:00.000Z
             */
            nextTrialAt: string | null;
            /**
             * Format: int64
             * @description Its place: the sequence up to which events were sent, or set aside to be tried again.
             * @example 1769851800000000
             */
            deliveredThrough: number;
            /**
             * Format: date-time
             * @description When the oldest event of its types came that was not delivered yet. If none of the 1,000 events after its place is of its types: when the event after these came.
             * @example 2026-01-31T09:30:00.000Z
             */
            oldestUnsentAt: string | null;
            /**
             * Format: date-time
             * @description Up to when events were removed because of their age before they were sent.
             * @example 2026-01-31T09:30:00.000Z
             */
            missedUntil: string | null;
            /** @description Who set the URL. Null if their account is deleted. */
            urlSetBy: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Ann
                 */
                name: string | null;
                /** @description Whether they may no longer change the webhook. */
                hasLostRight: boolean;
            } | null;
            /** @description Those that sign, newest first. */
            secrets: {
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string | null;
            }[];
            lastTest: {
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                at: string;
                /**
                 * Format: int32
                 * @description Of the answer, if there was one.
                 */
                status: number | null;
                /**
                 * @description Null: it was delivered, or it goes on.
                 * @enum {string|null}
                 */
                error: "dns" | "address" | "refused" | "reset" | "tls" | "timeout" | "redirect" | "status" | "too_large" | null;
                /**
                 * Format: int32
                 * @example 85
                 */
                milliseconds: number;
            } | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A webhook and its new secret. */
        WebhookWithSecret: {
            webhook: components["schemas"]["Webhook"];
            /**
             * @description Shown once. It signs what is sent (Standard Webhooks).
             * @example whsec_…
             */
            secret: string;
        };
        /** @description An organization, as events show it. */
        EventOrganization: {
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
             * @example acme
             */
            slug: string;
            /**
             * Format: name
             * @example Acme
             */
            name: string;
            /**
             * Format: picture-url
             * @example https://example.com/logo.png
             */
            logoUrl: string | null;
            /**
             * @description A JSON object with your own content, at most 8 KiB and five levels deep.
             * @example {
             *       "plan": "team"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description Whether members need a second factor for the organization’s routes.
             * @example optional
             * @enum {string}
             */
            secondFactor: "optional" | "required";
            /**
             * Format: int32
             * @example 3
             */
            memberCount: number;
            /**
             * Format: int32
             * @description The most members. Null: as many as the tenant allows.
             */
            memberLimit: number | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A membership, as events show it: `lastActiveAt` and `user.hasSecondFactor` are null. */
        EventMember: {
            /**
             * @description The id of a membership: `mem_` and 26 letters and digits.
             * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            user: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Ann
                 */
                name: string | null;
                /** @example ann@example.com */
                email: string;
                /**
                 * Format: picture-url
                 * @example https://example.com/logo.png
                 */
                avatarUrl: string | null;
                /** @enum {string} */
                status: "active" | "suspended";
                /** @description For callers with `members:update`; null for others. */
                hasSecondFactor: boolean | null;
            };
            /** @enum {string} */
            role: "member" | "admin" | "owner";
            /** @description The role, every role that it includes, and the roles that are granted. */
            roles: string[];
            /** @description Roles of the product that the member has. */
            grants: components["schemas"]["Grant"][];
            /**
             * @description Of the membership; `user.status` is that of the account.
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * Format: date-time
             * @description When the membership ends. Null: no end.
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description To the hour, but not before `joinedAt`. Null for callers without `members:update`.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastActiveAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            joinedAt: string;
        };
        /** @description A link to join, as events show it: without its URL. */
        EventLink: {
            /**
             * @description The id of a link to join: `lnk_` and 26 letters and digits.
             * @example lnk_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @description Roles of the product that a membership by it gets. */
            grants: {
                /**
                 * @description Lowercase letters, digits and hyphens, starting with a letter.
                 * @example billing
                 */
                role: string;
                /**
                 * Format: name
                 * @example Change invoices
                 */
                name: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string | null;
            }[];
            /**
             * Format: int32
             * @example 25
             */
            maxUses: number;
            /**
             * Format: int32
             * @example 3
             */
            uses: number;
            /** @description The domains of those who may join. Empty: all. */
            emailDomains: string[];
            /**
             * Format: date-time
             * @description When the memberships end. Null: no end.
             * @example 2026-01-31T09:30:00.000Z
             */
            memberExpiresAt: string | null;
            /** @enum {string} */
            status: "live" | "ended";
            /**
             * @description `maker`: its maker lost the right to invite. `used`: as often as it may be.
             * @enum {string|null}
             */
            endedBecause: "revoked" | "expired" | "used" | "maker" | null;
            createdBy: components["schemas"]["Maker"] | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string;
        };
        /** @description A key, as events show it. */
        EventKey: {
            /**
             * @description The id of a key: `key_` and 26 letters and digits.
             * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * Format: name
             * @description What the key is for.
             * @example Nightly import
             */
            name: string;
            owner: {
                /** @enum {string} */
                type: "user" | "organization" | "tenant";
                /** @example user_01k9zq3v5hf8gs4m2y7c6t0wdn */
                id: string;
            };
            /**
             * @description The permissions of the key.
             * @example [
             *       "members:read"
             *     ]
             */
            scopes: string[];
            /**
             * @description The owner, or the one organization that a person’s key is limited to.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            /**
             * Format: date-time
             * @description When the holder lost the right to the key, or took back a change of their address after they got its secret.
             * @example 2026-01-31T09:30:00.000Z
             */
            holderLeftAt: string | null;
            /** @enum {string} */
            status: "active" | "ended";
            /** @enum {string|null} */
            endedBecause: "revoked" | "expired" | "holder_left" | "reset" | "suspended" | "left" | "removed" | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When it was last used, to the minute, also by a secret that has ended since.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUsedAt: string | null;
            secrets: {
                /**
                 * @description The last four characters.
                 * @example x9Ab
                 */
                hint: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string | null;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastUsedAt: string | null;
            }[];
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description An application, as events show it. */
        EventApplication: {
            /**
             * @description The id of an application, which is also its `client_id`.
             * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * Format: name
             * @example Acme
             */
            name: string;
            /**
             * @description Where it runs: on a server, in a browser, or on a device of its user. It never changes.
             * @enum {string}
             */
            kind: "server" | "browser" | "native";
            /**
             * Format: https-url
             * @example https://example.com/logo.png
             */
            logoUrl: string | null;
            /**
             * @description Where it begins a sign-in by itself. Links to the home of a tenant have `iss`, and after an invitation `organization`, to pass on to the request.
             * @example https://app.example.com/callback
             */
            startUrl: string | null;
            /** @description Where its people may be sent with a code. */
            redirectUris: string[];
            /** @description Where its people may be sent after a sign-out. */
            postLogoutUris: string[];
            /**
             * @description Where it is told that a session has ended.
             * @example https://app.example.com/callback
             */
            backChannelLogoutUri: string | null;
            /** @description What it may ask for. */
            scopes: ("openid" | "profile" | "email" | "offline_access" | "api")[];
            /** @description Whether only people with a verified address get in. */
            requireVerifiedEmail: boolean;
            /** @description Whether its people choose an organization. */
            chooseOrganization: boolean;
            /** @description Whether pages that are opened from mails lead on to it; one of a tenant at most. */
            isHome: boolean;
            /** @description While it is not, nobody signs in to it, and its grants are refused. */
            enabled: boolean;
            /** @description When it was last told, or could not be told, that a session has ended. */
            lastLogout: {
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                at: string;
                /** @enum {string} */
                outcome: "delivered" | "failed";
            } | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A sign-in provider, as events show it. */
        EventProvider: {
            /**
             * @description The id of a provider: `idp_` and 26 letters and digits.
             * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "google" | "microsoft" | "github" | "oidc";
            /**
             * Format: name
             * @example Ann
             */
            name: string;
            enabled: boolean;
        };
        /** @description Who did it. */
        EventActor: {
            /** @enum {string} */
            type: "user" | "key" | "operator" | "system" | "anonymous" | "deleted_user";
            /** @example user_01k9zq3v5hf8gs4m2y7c6t0wdn */
            id: string | null;
            /**
             * @description The key of theirs, or the application, by which a person acted.
             * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            via: string | null;
        };
        /** @description An event `user.signed_up`, `user.created`, `user.suspended`, `user.reactivated`, `user.role_changed`, `email.verified`, `email.change_requested`, `email.changed`, `email.change_cancelled`, `email.change_undone`, `factor.added`, `factor.removed`, `factors.reset`, `recovery_codes.made`, `recovery_code.used`, `identity.linked`, `identity.unlinked`, `profile.updated`. */
        UserEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "factor.added" | "factor.removed" | "factors.reset" | "recovery_codes.made" | "recovery_code.used" | "identity.linked" | "identity.unlinked" | "profile.updated";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                user: components["schemas"]["User"] | null;
            };
        };
        /** @description An event `user.deleted`, `password.changed`, `password.reset_requested`, `password.reset`, `password.switched_off`, `password.removed`. */
        UserIdEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "user.deleted" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "password.removed";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                user: {
                    /**
                     * @description The id of a user: `user_` and 26 letters and digits.
                     * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                } | null;
            };
        };
        /** @description An event `session.started`, `session.confirmed`, `session.refused`, `session.revoked`, `session.signed_out`, `session.expired`. */
        SessionEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "session.started" | "session.confirmed" | "session.refused" | "session.revoked" | "session.signed_out" | "session.expired";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                session: {
                    /**
                     * @description Null: several sessions at once, or none.
                     * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string | null;
                    /**
                     * @description The id of a user: `user_` and 26 letters and digits.
                     * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    userId: string;
                } | null;
            };
        };
        /** @description An event `organization.created`. */
        OrganizationCreatedEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "organization.created";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                organization: components["schemas"]["EventOrganization"] | null;
                member: components["schemas"]["EventMember"] | null;
            };
        };
        /** @description An event `organization.updated`. */
        OrganizationEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "organization.updated";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                organization: components["schemas"]["EventOrganization"] | null;
            };
        };
        /** @description An event `organization.ownership_transferred`. */
        OwnershipEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "organization.ownership_transferred";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                organization: components["schemas"]["EventOrganization"] | null;
                /** @description The new owner and the former one, as far as they are still members. */
                members: components["schemas"]["EventMember"][];
            };
        };
        /** @description An event `organization.deleted`. */
        OrganizationDeletedEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "organization.deleted";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                organization: {
                    /**
                     * @description The id of an organization: `org_` and 26 letters and digits.
                     * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                } | null;
            };
        };
        /** @description An event `member.joined`, `member.role_changed`, `member.grants_changed`, `member.suspended`, `member.reactivated`, `member.expiry_changed`. */
        MemberEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "member.joined" | "member.role_changed" | "member.grants_changed" | "member.suspended" | "member.reactivated" | "member.expiry_changed";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                organization: {
                    /**
                     * @description The id of an organization: `org_` and 26 letters and digits.
                     * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                    /**
                     * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                     * @example acme
                     */
                    slug: string;
                    /**
                     * Format: name
                     * @example Acme
                     */
                    name: string;
                } | null;
                member: components["schemas"]["EventMember"] | null;
            };
        };
        /** @description An event `member.expired`, `member.removed`, `member.left`. */
        FormerMemberEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "member.expired" | "member.removed" | "member.left";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                member: {
                    /**
                     * @description Null after the account was deleted.
                     * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string | null;
                    /**
                     * @description The id of a user: `user_` and 26 letters and digits.
                     * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    userId: string;
                } | null;
            };
        };
        /** @description An event `invitation.sent`, `invitation.resent`, `invitation.accepted`, `invitation.declined`, `invitation.revoked`. */
        InvitationEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                invitation: components["schemas"]["Invitation"] | null;
            };
        };
        /** @description An event `link.created`, `link.ended`. */
        LinkEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "link.created" | "link.ended";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                link: components["schemas"]["EventLink"] | null;
            };
        };
        /** @description An event `key.created`, `key.narrowed`, `key.rotated`, `key.holder_left`, `key.ended`. */
        KeyEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "key.created" | "key.narrowed" | "key.rotated" | "key.holder_left" | "key.ended";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                key: components["schemas"]["EventKey"] | null;
            };
        };
        /** @description An event `access.updated`. */
        AccessEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "access.updated";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                /** @description The keys of the product’s roles. */
                roles: string[];
                /** @description The keys of the product’s permissions. */
                permissions: string[];
            };
        };
        /** @description An event `provider.created`, `provider.updated`. */
        ProviderEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "provider.created" | "provider.updated";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                provider: components["schemas"]["EventProvider"] | null;
            };
        };
        /** @description An event `provider.deleted`. */
        ProviderDeletedEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "provider.deleted";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                provider: {
                    /**
                     * @description The id of a provider: `idp_` and 26 letters and digits.
                     * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                } | null;
            };
        };
        /** @description An event `application.created`, `application.updated`, `application.secret_rotated`. */
        ApplicationEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "application.created" | "application.updated" | "application.secret_rotated";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                application: components["schemas"]["EventApplication"] | null;
            };
        };
        /** @description An event `application.deleted`. */
        ApplicationDeletedEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "application.deleted";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                application: {
                    /**
                     * @description The id of an application: `app_` and 26 letters and digits.
                     * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                } | null;
            };
        };
        /** @description An event `webhook.created`, `webhook.updated`, `webhook.rotated`, `webhook.failing`, `webhook.recovered`, `webhook.disabled`. */
        WebhookEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "webhook.created" | "webhook.updated" | "webhook.rotated" | "webhook.failing" | "webhook.recovered" | "webhook.disabled";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                webhook: components["schemas"]["Webhook"] | null;
            };
        };
        /** @description An event `webhook.deleted`. */
        WebhookDeletedEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "webhook.deleted";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                webhook: {
                    /**
                     * @description The id of a webhook: `whk_` and 26 letters and digits.
                     * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                } | null;
            };
        };
        /** @description An event `application.signed_in`, `application.token_reused`. */
        ApplicationUserEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "application.signed_in" | "application.token_reused";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: {
                application: {
                    /**
                     * @description The id of an application: `app_` and 26 letters and digits.
                     * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                } | null;
                user: {
                    /**
                     * @description The id of a user: `user_` and 26 letters and digits.
                     * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    id: string;
                } | null;
            };
        };
        /** @description An event `tenant.created`, `tenant.updated`, `tenant.keys_rotated`, `tenant.imported`. */
        TenantEvent: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "tenant.created" | "tenant.updated" | "tenant.keys_rotated" | "tenant.imported";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description A place in the feed of the tenant. What comes later has a greater one.
             * @example 1769851800000000
             */
            sequence: number;
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            tenantId: string;
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            actor: components["schemas"]["EventActor"];
            /** @description Old and new values, as in the audit log. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description What the event is about, as it was when the event was read. */
            data: Record<string, never>;
        };
        /** @description A change. Skip events whose `type` you do not know: later versions have more types. */
        Event: components["schemas"]["UserEvent"] | components["schemas"]["UserIdEvent"] | components["schemas"]["SessionEvent"] | components["schemas"]["OrganizationCreatedEvent"] | components["schemas"]["OrganizationEvent"] | components["schemas"]["OwnershipEvent"] | components["schemas"]["OrganizationDeletedEvent"] | components["schemas"]["MemberEvent"] | components["schemas"]["FormerMemberEvent"] | components["schemas"]["InvitationEvent"] | components["schemas"]["LinkEvent"] | components["schemas"]["KeyEvent"] | components["schemas"]["AccessEvent"] | components["schemas"]["ProviderEvent"] | components["schemas"]["ProviderDeletedEvent"] | components["schemas"]["ApplicationEvent"] | components["schemas"]["ApplicationDeletedEvent"] | components["schemas"]["WebhookEvent"] | components["schemas"]["WebhookDeletedEvent"] | components["schemas"]["ApplicationUserEvent"] | components["schemas"]["TenantEvent"];
        /** @description A provider that people sign in with: Google, Microsoft, GitHub or any OpenID provider. */
        Provider: {
            /**
             * @description The id of a provider: `idp_` and 26 letters and digits.
             * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @enum {string} */
            type: "google" | "microsoft" | "github" | "oidc";
            /**
             * Format: name
             * @example Acme Login
             */
            name: string;
            /** @description Whether people can sign in with it. */
            enabled: boolean;
            /** @example guildhall */
            clientId: string;
            /** @description Of `oidc`: whether addresses that the provider calls verified are believed when accounts are created. */
            trustsEmail: boolean;
            /** @description Where a product’s own pages and apps may receive the answer of the provider, beside `callbackUrl`. No two providers share one. */
            redirectUris: string[];
            hasSecret: boolean;
            /**
             * Format: issuer
             * @example https://login.example.com
             */
            issuer: string | null;
            /**
             * @description Who may sign in: the id of a Microsoft tenant, `organizations`, `consumers`, or `common` for both.
             * @example common
             */
            microsoftTenant: string | null;
            /**
             * @description Register it at the provider.
             * @example https://accounts.example.com/sign-in/callback/idp_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            callbackUrl: string;
            /** Format: int32 */
            identityCount: number;
            /**
             * Format: int32
             * @description How many people have no other way in: no password, no passkey that signs in, no other provider that is enabled, no mailed code. Null in lists, and above 10,000 linked accounts.
             */
            onlyWayInCount: number | null;
            lastFailure: {
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                at: string;
                /** @enum {string} */
                reason: "denied" | "unreachable" | "bad_metadata" | "bad_token" | "bad_client" | "no_email";
            } | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A key of a person, an organization or the tenant. */
        Key: {
            /**
             * @description The id of a key: `key_` and 26 letters and digits.
             * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * Format: name
             * @description What the key is for.
             * @example Nightly import
             */
            name: string;
            owner: {
                /** @enum {string} */
                type: "user" | "organization" | "tenant";
                /** @example user_01k9zq3v5hf8gs4m2y7c6t0wdn */
                id: string;
            };
            /**
             * @description The permissions of the key.
             * @example [
             *       "members:read"
             *     ]
             */
            scopes: string[];
            /**
             * @description The owner, or the one organization that a person’s key is limited to.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            /** @description Who has seen the secret of a key of an organization or of the tenant. Null for keys of people. */
            holder: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Ann
                 */
                name: string | null;
            } | null;
            /**
             * Format: date-time
             * @description When the holder lost the right to the key, or took back a change of their address after they got its secret.
             * @example 2026-01-31T09:30:00.000Z
             */
            holderLeftAt: string | null;
            /** @enum {string} */
            status: "active" | "ended";
            /** @enum {string|null} */
            endedBecause: "revoked" | "expired" | "holder_left" | "reset" | "suspended" | "left" | "removed" | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When it was last used, to the minute, also by a secret that has ended since.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUsedAt: string | null;
            secrets: {
                /**
                 * @description The last four characters.
                 * @example x9Ab
                 */
                hint: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string | null;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastUsedAt: string | null;
            }[];
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A key and its new secret. */
        KeyWithSecret: {
            key: components["schemas"]["Key"];
            /**
             * @description Shown once: Guildhall stores its hash alone.
             * @example ghk_01k9zq3v5hf8gs4m2y7c6t0wdn.…
             */
            secret: string;
        };
        /** @description An application of the tenant, into which its people sign in. */
        Application: {
            /**
             * @description The id of an application, which is also its `client_id`.
             * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * Format: name
             * @example Acme
             */
            name: string;
            /**
             * @description Where it runs: on a server, in a browser, or on a device of its user. It never changes.
             * @enum {string}
             */
            kind: "server" | "browser" | "native";
            /**
             * Format: https-url
             * @example https://example.com/logo.png
             */
            logoUrl: string | null;
            /**
             * @description Where it begins a sign-in by itself. Links to the home of a tenant have `iss`, and after an invitation `organization`, to pass on to the request.
             * @example https://app.example.com/callback
             */
            startUrl: string | null;
            /** @description Where its people may be sent with a code. */
            redirectUris: string[];
            /** @description Where its people may be sent after a sign-out. */
            postLogoutUris: string[];
            /**
             * @description Where it is told that a session has ended.
             * @example https://app.example.com/callback
             */
            backChannelLogoutUri: string | null;
            /** @description What it may ask for. */
            scopes: ("openid" | "profile" | "email" | "offline_access" | "api")[];
            /** @description Whether only people with a verified address get in. */
            requireVerifiedEmail: boolean;
            /** @description Whether its people choose an organization. */
            chooseOrganization: boolean;
            /** @description Whether pages that are opened from mails lead on to it; one of a tenant at most. */
            isHome: boolean;
            /** @description While it is not, nobody signs in to it, and its grants are refused. */
            enabled: boolean;
            /** @description Those that live; only a `server` has some. */
            secrets: {
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string | null;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastUsedAt: string | null;
            }[];
            /** @description When it was last told, or could not be told, that a session has ended. */
            lastLogout: {
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                at: string;
                /** @enum {string} */
                outcome: "delivered" | "failed";
            } | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description An application and its new secret. */
        ApplicationWithSecret: {
            application: components["schemas"]["Application"];
            /**
             * @description Shown once: Guildhall stores its hash alone. Null for a kind that has none.
             * @example ghx_01k9zq3v5hf8gs4m2y7c6t0wdn.…
             */
            secret: string | null;
        };
        /** @description Who sends a request, and what they may do. */
        Caller: {
            /**
             * @description A person, by a session or a key of theirs; or a key of an organization or of the tenant.
             * @enum {string}
             */
            type: "user" | "key";
            /** @description The person. Null for a key of an organization or of the tenant. */
            user: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /** @example ann@example.com */
                email: string;
                emailVerified: boolean;
                /**
                 * Format: name
                 * @example Ann
                 */
                name: string | null;
                /**
                 * Format: picture-url
                 * @example https://example.com/logo.png
                 */
                avatarUrl: string | null;
                /**
                 * @example user
                 * @enum {string}
                 */
                role: "admin" | "user";
            } | null;
            /** @description The key. Null for a session. */
            key: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @description What the key is for.
                 * @example Nightly import
                 */
                name: string;
                owner: {
                    /** @enum {string} */
                    type: "user" | "organization" | "tenant";
                    /** @example user_01k9zq3v5hf8gs4m2y7c6t0wdn */
                    id: string;
                };
                /**
                 * @description The permissions of the key.
                 * @example [
                 *       "members:read"
                 *     ]
                 */
                scopes: string[];
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string | null;
            } | null;
            /** @description The session, or that of the application’s grant. Null for a key. */
            session: {
                /**
                 * @description The id of a device: `dev_` and 26 letters and digits.
                 * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresAt: string;
            } | null;
            /** @description The application that calls for the person, by its access token. Null for a session or a key. */
            application: {
                /**
                 * @description The id of an application, which is also its `client_id`.
                 * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Acme
                 */
                name: string;
            } | null;
            /** @description The organization that the request names; null if it names none. A key that is no person’s is no member: its `role` is null, and `roles` is empty. */
            organization: {
                /**
                 * @description The id of an organization: `org_` and 26 letters and digits.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                 * @example acme
                 */
                slug: string;
                /**
                 * Format: name
                 * @example Acme
                 */
                name: string;
                /** @enum {string|null} */
                role: "member" | "admin" | "owner" | null;
                /** @description The role, every role that it includes, and the roles that are granted. */
                roles: string[];
            } | null;
            /** @description What the caller may do in the organization now, sorted. Without an organization, the scopes of the key; of a session, none. */
            permissions: string[];
        };
        /** @description The issuer, and where its keys are; with an application, the rest of OpenID Connect Discovery. */
        IssuerMetadata: {
            /** @example https://accounts.example.com/api/tenants/ten_01k9zq3v5hf8gs4m2y7c6t0wdn */
            issuer: string;
            /** @example https://accounts.example.com/api/tenants/ten_01k9zq3v5hf8gs4m2y7c6t0wdn/jwks.json */
            jwks_uri: string;
            /**
             * @description Where an application sends people. It may be on a domain of the tenant.
             * @example https://accounts.example.com/api/tenants/ten_01k9zq3v5hf8gs4m2y7c6t0wdn/authorize
             */
            authorization_endpoint?: string;
            /**
             * @description Where it exchanges a code.
             * @example https://accounts.example.com/api/tenants/ten_01k9zq3v5hf8gs4m2y7c6t0wdn/token
             */
            token_endpoint?: string;
            /**
             * @description Where it asks about the user.
             * @example https://accounts.example.com/api/tenants/ten_01k9zq3v5hf8gs4m2y7c6t0wdn/userinfo
             */
            userinfo_endpoint?: string;
            /**
             * @description Where it gives back tokens.
             * @example https://accounts.example.com/api/tenants/ten_01k9zq3v5hf8gs4m2y7c6t0wdn/revoke
             */
            revocation_endpoint?: string;
            /**
             * @description Where it sends people to sign out.
             * @example https://accounts.example.com/api/tenants/ten_01k9zq3v5hf8gs4m2y7c6t0wdn/end-session
             */
            end_session_endpoint?: string;
            /** @description An application has some of them. */
            scopes_supported?: string[];
            /** @description Codes alone. */
            response_types_supported?: string[];
            /** @description How a code comes back. */
            response_modes_supported?: string[];
            /** @description What can be exchanged for tokens. */
            grant_types_supported?: string[];
            /** @description `sub` is the same for each application. */
            subject_types_supported?: string[];
            /** @description How ID tokens are signed. */
            id_token_signing_alg_values_supported?: string[];
            /** @description How an application proves who it is. */
            token_endpoint_auth_methods_supported?: string[];
            /** @description The same. */
            revocation_endpoint_auth_methods_supported?: string[];
            /** @description PKCE, which every application uses. */
            code_challenge_methods_supported?: string[];
            /** @description What an application may ask for. */
            prompt_values_supported?: string[];
            /** @description One factor, and two. */
            acr_values_supported?: string[];
            /** @description How claims come. */
            claim_types_supported?: string[];
            /** @description What an application may learn. */
            claims_supported?: string[];
            claims_parameter_supported?: boolean;
            request_parameter_supported?: boolean;
            request_uri_parameter_supported?: boolean;
            authorization_response_iss_parameter_supported?: boolean;
            backchannel_logout_supported?: boolean;
            backchannel_logout_session_supported?: boolean;
        };
        /** @description A mail that was kept instead of sent. */
        Mail: {
            /**
             * @description The id of a mail: `mail_` and 26 letters and digits.
             * @example mail_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example ann@example.com */
            to: string;
            /** @example Ann invited you to Acme */
            subject: string;
            /** @example Follow this link: … */
            text: string;
            /** @example <p>Follow this link: …</p> */
            html: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            sentAt: string;
        };
    };
    responses: never;
    parameters: {
        /** @description Puts the session token into a cookie instead of the body. */
        "Guildhall-Session": "cookie";
        /** @description Reads the cookie by which an account knows this device. Browsers that use the session cookie have one. */
        "Guildhall-Session.header": "cookie";
        /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
        "Guildhall-Tenant": string;
        /**
         * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
         * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
         */
        "Idempotency-Key": string;
        /**
         * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
         * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
         */
        "If-Match": string;
        /** @description A comma-separated list of actions. `password.*` names a whole family. */
        action: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.confirmed" | "session.refused" | "session.revoked" | "session.signed_out" | "session.expired" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "password.removed" | "factor.added" | "factor.removed" | "factors.reset" | "recovery_codes.made" | "recovery_code.used" | "identity.linked" | "identity.unlinked" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "link.created" | "link.ended" | "member.joined" | "member.role_changed" | "member.grants_changed" | "member.suspended" | "member.reactivated" | "member.expiry_changed" | "member.expired" | "member.removed" | "member.left" | "key.created" | "key.narrowed" | "key.rotated" | "key.holder_left" | "key.ended" | "access.updated" | "provider.created" | "provider.updated" | "provider.deleted" | "application.created" | "application.updated" | "application.secret_rotated" | "application.deleted" | "application.signed_in" | "application.token_reused" | "webhook.created" | "webhook.updated" | "webhook.rotated" | "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "webhook.deleted" | "tenant.created" | "tenant.updated" | "tenant.keys_rotated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "factor.*" | "factors.*" | "recovery_codes.*" | "recovery_code.*" | "identity.*" | "profile.*" | "organization.*" | "invitation.*" | "link.*" | "member.*" | "key.*" | "access.*" | "provider.*" | "application.*" | "webhook.*" | "tenant.*")[];
        /**
         * @description A place: the `nextAfter` of the answer before, or a `sequence`. `latest` answers no events, and the place from which to follow once you have read the lists.
         * @example latest
         */
        after: string;
        /**
         * @description The id of an application: `app_` and 26 letters and digits.
         * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        appId: string;
        /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
        cursor: string;
        /**
         * @description The id of a device: `dev_` and 26 letters and digits.
         * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        deviceId: string;
        /**
         * @description Members whose membership ends before. For callers with `members:update`.
         * @example 2026-01-31T09:30:00.000Z
         */
        expiresBefore: string;
        /**
         * @description The id of a factor: `fac_` and 26 letters and digits.
         * @example fac_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        factorId: string;
        /**
         * @description Entries at or after this time.
         * @example 2026-01-31T09:30:00.000Z
         */
        from: string;
        /**
         * @description Events at or after this time.
         * @example 2026-01-31T09:30:00.000Z
         */
        "from.query": string;
        /**
         * @description Without `after`: events from this time on. Without both, from the oldest on.
         * @example 2026-01-31T09:30:00.000Z
         */
        "from.query.2": string;
        /** @description Members who have a second factor (true) or not (false). For owners and admins. */
        hasSecondFactor: boolean;
        /**
         * @description The id of an identity: `idn_` and 26 letters and digits.
         * @example idn_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        identityId: string;
        /** @description Adds `total`, which is exact up to 10,000. */
        includeTotal: boolean;
        /**
         * @description The id of an invitation: `inv_` and 26 letters and digits.
         * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        inviteId: string;
        /**
         * @description The id of a key: `key_` and 26 letters and digits.
         * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        keyId: string;
        /**
         * @description Members who were active at or after. For callers with `members:update`.
         * @example 2026-01-31T09:30:00.000Z
         */
        lastActiveAfter: string;
        /**
         * @description Members who were last active before, or never. For callers with `members:update`.
         * @example 2026-01-31T09:30:00.000Z
         */
        lastActiveBefore: string;
        /** @description The maximum number of items on a page. */
        limit: number;
        /**
         * @description The id of a link to join: `lnk_` and 26 letters and digits.
         * @example lnk_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        linkId: string;
        /**
         * @description The id of a membership: `mem_` and 26 letters and digits.
         * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        memberId: string;
        /**
         * @description The id of a membership, or `me` for the caller’s own.
         * @example me
         */
        "memberId.path": string;
        /**
         * @description The organization’s id, or its slug.
         * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        orgId: string;
        /**
         * @description Entries of the organization with this id.
         * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        organizationId: string;
        /**
         * @description Members who have this permission now: a noun and a verb. For callers with `members:update`.
         * @example invoices:write
         */
        permission: string;
        /**
         * @description The id of a provider: `idp_` and 26 letters and digits.
         * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        providerId: string;
        /** @description Words, which all must match: each is the beginning of a word of the name, or of the address. With `@` in it, it is the beginning of the whole address; with `@` before it, of the domain. Without case and accents. No wildcards. */
        query: string;
        /** @description Words, which all must match: each is the beginning of a word of the name or the slug. Without case and accents. No wildcards. */
        "query.query": string;
        /** @description Words, which all must match: each is the beginning of a word of the address. With `@` in it, it is the beginning of the whole address; with `@` before it, of the domain. No wildcards. */
        "query.query.2": string;
        /** @description Members with this role. */
        role: "member" | "admin" | "owner";
        /** @description The order. `-` means descending. */
        sort: "joinedAt" | "name" | "email" | "lastActiveAt" | "expiresAt" | "-joinedAt" | "-name" | "-email" | "-lastActiveAt" | "-expiresAt";
        /** @description Keys with this status. */
        status: "active" | "ended";
        /** @description Members whose membership is active or suspended. For callers with `members:update`. */
        "status.query": "active" | "suspended" | "all";
        /** @description Invitations with this status. */
        "status.query.2": "pending" | "accepted" | "declined" | "revoked" | "expired";
        /** @description Deliveries with this status. */
        "status.query.3": "delivered" | "retrying" | "failed";
        /**
         * @description The id of a tenant: `ten_` and 26 letters and digits.
         * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        tenantId: string;
        /**
         * @description Entries before this time.
         * @example 2026-01-31T09:30:00.000Z
         */
        to: string;
        /**
         * @description Events before this time.
         * @example 2026-01-31T09:30:00.000Z
         */
        "to.query": string;
        /** @description A comma-separated list of types. `member.*` names a whole family. */
        types: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.confirmed" | "session.refused" | "session.revoked" | "session.signed_out" | "session.expired" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "password.removed" | "factor.added" | "factor.removed" | "factors.reset" | "recovery_codes.made" | "recovery_code.used" | "identity.linked" | "identity.unlinked" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "link.created" | "link.ended" | "member.joined" | "member.role_changed" | "member.grants_changed" | "member.suspended" | "member.reactivated" | "member.expiry_changed" | "member.expired" | "member.removed" | "member.left" | "key.created" | "key.narrowed" | "key.rotated" | "key.holder_left" | "key.ended" | "access.updated" | "provider.created" | "provider.updated" | "provider.deleted" | "application.created" | "application.updated" | "application.secret_rotated" | "application.deleted" | "application.signed_in" | "application.token_reused" | "webhook.created" | "webhook.updated" | "webhook.rotated" | "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "webhook.deleted" | "tenant.created" | "tenant.updated" | "tenant.keys_rotated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "factor.*" | "factors.*" | "recovery_codes.*" | "recovery_code.*" | "identity.*" | "profile.*" | "organization.*" | "invitation.*" | "link.*" | "member.*" | "key.*" | "access.*" | "provider.*" | "application.*" | "webhook.*" | "tenant.*")[];
        /**
         * @description The id of a user: `user_` and 26 letters and digits.
         * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        userId: string;
        /**
         * @description The member who is this user.
         * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        "userId.query": string;
        /**
         * @description The id of a webhook: `whk_` and 26 letters and digits.
         * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        webhookId: string;
        /** @description The `id` of the event, the same in each attempt. */
        "webhook-id": string;
        /** @description When this attempt was made, in seconds since 1970. Refuse one that is more than five minutes off. */
        "webhook-timestamp": string;
        /** @description `v1,` and the HMAC-SHA-256 of `<id>.<timestamp>.<body>` in base64, with the 32 bytes that follow `whsec_` in base64 as the key. While a secret is replaced, there are two, separated by a space. */
        "webhook-signature": string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listMyAudit: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description A comma-separated list of actions. `password.*` names a whole family. */
                action?: components["parameters"]["action"];
                /**
                 * @description Entries at or after this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                from?: components["parameters"]["from"];
                /**
                 * @description Entries before this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                to?: components["parameters"]["to"];
                /**
                 * @description Entries of the organization with this id.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organizationId?: components["parameters"]["organizationId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getDeletionImpact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What would be deleted, and what prevents the deletion. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What would be deleted: live sessions, memberships and pending invitations. */
                        counts: {
                            /**
                             * Format: int32
                             * @example 3
                             */
                            sessions: number;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            memberships: number;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            invitationsSent: number;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            invitationsReceived: number;
                        };
                        /** @description Deleted with the account, because nobody else is a member. */
                        deletedOrganizations: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /**
                             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                             * @example acme
                             */
                            slug: string;
                        }[];
                        /** @description They prevent the deletion: the user is their only owner, and they have other members. */
                        blockingOrganizations: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /**
                             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                             * @example acme
                             */
                            slug: string;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            memberCount: number;
                            /** @description Active members who could become the owner: admins first, then by date of joining. At most 20. In one’s own, empty if the session lacks a second factor that the organization or the tenant requires. */
                            candidates: components["schemas"]["Member"][];
                        }[];
                        /** @description True if the tenant has no other active admin. This prevents the deletion. */
                        isLastAdmin: boolean;
                    };
                };
            };
        };
    };
    listDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Device"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    endOtherDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of sessions that were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int32 */
                        endedSessions: number;
                    };
                };
            };
        };
    };
    endDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a device: `dev_` and 26 letters and digits.
                 * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                deviceId: components["parameters"]["deviceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A session: a device on which somebody is signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteMe: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @description Required if you have a password and signed in with one factor.
                     * @example correct horse battery staple
                     */
                    password?: string;
                    /**
                     * Format: email
                     * @description Your own email address, if you send no password. The session must then be fresh.
                     * @example ann@example.com
                     */
                    confirm?: string;
                };
            };
        };
        responses: {
            /** @description Permanently deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateMe: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ann"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string | null;
                    /**
                     * Format: picture-url
                     * @example https://example.com/logo.png
                     */
                    avatarUrl?: string | null;
                    /**
                     * Format: locale
                     * @description A language tag (BCP 47).
                     * @example en-GB
                     */
                    locale?: string | null;
                    /**
                     * Format: time-zone
                     * @description The IANA name of a time zone.
                     * @example Europe/Berlin
                     */
                    timeZone?: string | null;
                    /**
                     * @description Merged with the stored object (RFC 7396). `null` for a member removes it; `null` for the object removes all members. At most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                    /**
                     * Format: email
                     * @description Becomes `pendingEmail` until the link mailed to it is opened. The current address cancels a pending change.
                     * @example ann@example.com
                     */
                    email?: string;
                    /**
                     * Format: password
                     * @description Only with `email`. Required if you have a password and signed in with one factor; otherwise the session must be fresh.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    listFactors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Factor"][];
                        recoveryCodes: {
                            /** Format: int32 */
                            left: number;
                            /**
                             * Format: date-time
                             * @example 2026-01-31T09:30:00.000Z
                             */
                            createdAt: string;
                        } | null;
                        /** @description Who requires a second factor: `tenant`, and the ids of organizations. */
                        requiredBy: string[];
                    };
                };
            };
        };
    };
    addFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "totp",
                 *       "setup": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                 *       "code": "287082"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "totp" | "passkey";
                    /**
                     * Format: name
                     * @description Without one, a passkey is named after what holds it, such as iCloud Keychain or Chrome on macOS.
                     * @example Ann
                     */
                    name?: string;
                    /**
                     * @description The `setup` of the answer that began it.
                     * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                     */
                    setup?: string;
                    /**
                     * @description The code that the app shows. With `totp`.
                     * @example 287082
                     */
                    code?: string;
                    credential?: components["schemas"]["RegistrationCredential"];
                };
            };
        };
        responses: {
            /** @description The factor was added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        factor: components["schemas"]["Factor"];
                        recoveryCodes?: string[];
                        /** Format: int32 */
                        endedSessions: number;
                    };
                };
            };
        };
    };
    setUpFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "totp"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "totp" | "passkey";
                };
            };
        };
        responses: {
            /** @description `setup`, `secret` and `uri` for an authenticator app, `options` for a passkey. Nothing is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        type: "totp" | "passkey";
                        /**
                         * @description The `setup` of the answer that began it.
                         * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                         */
                        setup?: string;
                        /**
                         * @description To type into an app.
                         * @example JBSWY3DPEHPK3PXP
                         */
                        secret?: string;
                        /**
                         * @description To show as a QR code.
                         * @example otpauth://totp/…
                         */
                        uri?: string;
                        options?: components["schemas"]["PasskeyCreationOptions"];
                        /**
                         * Format: date-time
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    removeFactor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a factor: `fac_` and 26 letters and digits.
                 * @example fac_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                factorId: components["parameters"]["factorId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An authenticator app, a passkey or a security key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Factor"];
                };
            };
        };
    };
    renameFactor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a factor: `fac_` and 26 letters and digits.
                 * @example fac_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                factorId: components["parameters"]["factorId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ann"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name: string;
                };
            };
        };
        responses: {
            /** @description An authenticator app, a passkey or a security key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Factor"];
                };
            };
        };
    };
    listIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Identity"][];
                    };
                };
            };
        };
    };
    linkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "attempt": "gha_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0",
                 *       "callback": {
                 *         "code": "SplxlOBeZQQYbYS6WxSbIA",
                 *         "error": "SplxlOBeZQQYbYS6WxSbIA",
                 *         "state": "SplxlOBeZQQYbYS6WxSbIA",
                 *         "iss": "SplxlOBeZQQYbYS6WxSbIA",
                 *         "redirectUri": "https://app.example.com/signed-in"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @example gha_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0 */
                    attempt: string;
                    /** @description The query parameters that the page at `redirectUri` received, and which page that is. */
                    callback: {
                        /** @example SplxlOBeZQQYbYS6WxSbIA */
                        code?: string;
                        /** @example SplxlOBeZQQYbYS6WxSbIA */
                        error?: string;
                        /** @example SplxlOBeZQQYbYS6WxSbIA */
                        state: string;
                        /** @example SplxlOBeZQQYbYS6WxSbIA */
                        iss?: string;
                        /**
                         * @description The redirect URI of the page that received them. Always send it: it must be the one with which the sign-in began, so that the code of one provider is not sent to another.
                         * @example https://app.example.com/signed-in
                         */
                        redirectUri?: string;
                    };
                };
            };
        };
        responses: {
            /** @description An account at a provider that signs the user in. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
        };
    };
    startLinking: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "providerId": "idp_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The id of a provider: `idp_` and 26 letters and digits.
                     * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    providerId: string;
                    /**
                     * @description One of the provider’s `redirectUris`. By default its `callbackUrl`.
                     * @example https://app.example.com/signed-in
                     */
                    redirectUri?: string;
                };
            };
        };
        responses: {
            /** @description The way to the provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Send the browser there.
                         * @example https://accounts.google.com/…
                         */
                        url: string;
                        attempt: components["schemas"]["Attempt"];
                    };
                };
            };
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an identity: `idn_` and 26 letters and digits.
                 * @example idn_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                identityId: components["parameters"]["identityId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An account at a provider that signs the user in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
        };
    };
    putMyAvatar: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/png": string;
                "image/jpeg": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteMyAvatar: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currentPassword": "the one from before",
                 *       "newPassword": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @description Required if you have a password.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                    /**
                     * Format: password
                     * @description From the tenant’s minimum to 256 characters. Spaces are kept. No kinds of characters are required.
                     * @example correct horse battery staple
                     */
                    newPassword: string;
                    /**
                     * @description Whether to end your keys, too. The mail names those that stay.
                     * @default false
                     */
                    endKeys?: boolean;
                };
            };
        };
        responses: {
            /** @description The number of sessions that were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int32 */
                        endedSessions: number;
                    };
                };
            };
        };
    };
    removePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of sessions that were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int32 */
                        endedSessions: number;
                    };
                };
            };
        };
    };
    makeRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new codes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        codes: string[];
                    };
                };
            };
        };
    };
    confirm: {
        parameters: {
            query?: never;
            header?: {
                /** @description Puts the session token into a cookie instead of the body. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @example correct horse battery staple
                     */
                    password?: string;
                    /**
                     * @description Ask for two factors, whatever the policy.
                     * @example true
                     * @enum {boolean}
                     */
                    secondFactor?: true;
                };
            };
        };
        responses: {
            /** @description The user and the new session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    continueSignIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Puts the session token into a cookie instead of the body. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "attempt": "gha_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0",
                 *       "totp": "287082"
                 *     }
                 */
                "application/json": {
                    /** @example gha_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0 */
                    attempt: string;
                    /**
                     * Format: password
                     * @example correct horse battery staple
                     */
                    password?: string;
                    /**
                     * @description The code that the authenticator app shows.
                     * @example 287082
                     */
                    totp?: string;
                    /** @example 9ZQ3-V5HF-8GS4-M2Y7-C6T0-WDN1 */
                    recoveryCode?: string;
                    /**
                     * @description The code out of the mail.
                     * @example 287082
                     */
                    mailCode?: string;
                    credential?: components["schemas"]["AssertionCredential"];
                    /** @description The query parameters that the page at `redirectUri` received, and which page that is. */
                    callback?: {
                        /** @example SplxlOBeZQQYbYS6WxSbIA */
                        code?: string;
                        /** @example SplxlOBeZQQYbYS6WxSbIA */
                        error?: string;
                        /** @example SplxlOBeZQQYbYS6WxSbIA */
                        state: string;
                        /** @example SplxlOBeZQQYbYS6WxSbIA */
                        iss?: string;
                        /**
                         * @description The redirect URI of the page that received them. Always send it: it must be the one with which the sign-in began, so that the code of one provider is not sent to another.
                         * @example https://app.example.com/signed-in
                         */
                        redirectUri?: string;
                    };
                    /** @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0 */
                    deviceToken?: string;
                };
            };
        };
        responses: {
            /** @description The user and the new session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The user and the new session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    undoEmailChange: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The account has its old address again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The verified address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example ann@example.com */
                        email: string;
                        emailVerified: boolean;
                    };
                };
            };
        };
    };
    resendVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A mail goes out. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    previewEndSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The device, and when somebody signed in on it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example Chrome on macOS */
                        device: string;
                        /**
                         * Format: date-time
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        signedInAt: string;
                    };
                };
            };
        };
    };
    endSessionFromMail: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    mailCode: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Reads the cookie by which an account knows this device. Browsers that use the session cookie have one. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session.header"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email?: string;
                    /** @example gha_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0 */
                    attempt?: string;
                    /**
                     * @description The token of the last session of this user on this device. With it, codes that strangers request do not use up those of this device. Browsers that use the session cookie have a cookie for this.
                     * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    deviceToken?: string;
                };
            };
        };
        responses: {
            /** @description The next step. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempt: components["schemas"]["Attempt"];
                    };
                };
            };
        };
    };
    passkeyOptions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "attempt": "gha_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /** @example gha_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0 */
                    attempt?: string;
                };
            };
        };
        responses: {
            /** @description The options and their end. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        options: components["schemas"]["PasskeyRequestOptions"];
                        /**
                         * Format: date-time
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    signInWithPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Puts the session token into a cookie instead of the body. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credential": {
                 *         "id": "dGVzdA",
                 *         "rawId": "dGVzdA",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "dGVzdA",
                 *           "authenticatorData": "dGVzdA",
                 *           "signature": "dGVzdA",
                 *           "userHandle": "AZ8_m0BkfQqJt5LxkYvC3g"
                 *         },
                 *         "clientExtensionResults": {
                 *           "credProps": {
                 *             "rk": true
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    credential: components["schemas"]["AssertionCredential"];
                    /** @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0 */
                    deviceToken?: string;
                };
            };
        };
        responses: {
            /** @description The user and the new session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The request is accepted. Any mail is sent later. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0",
                 *       "newPassword": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                    /**
                     * Format: password
                     * @description From the tenant’s minimum to 256 characters. Spaces are kept. No kinds of characters are required.
                     * @example correct horse battery staple
                     */
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description The password was set. `email` is the address to sign in with. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example ann@example.com */
                        email: string;
                    };
                };
            };
        };
    };
    signInAtProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Reads the cookie by which an account knows this device. Browsers that use the session cookie have one. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session.header"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "providerId": "idp_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The id of a provider: `idp_` and 26 letters and digits.
                     * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    providerId: string;
                    /**
                     * @description One of the provider’s `redirectUris`. By default its `callbackUrl`.
                     * @example https://app.example.com/signed-in
                     */
                    redirectUri?: string;
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    invitationToken?: string;
                };
            };
        };
        responses: {
            /** @description The way to the provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Send the browser there.
                         * @example https://accounts.google.com/…
                         */
                        url: string;
                        attempt: components["schemas"]["Attempt"];
                    };
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Puts the session token into a cookie instead of the body. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * Format: password
                     * @example correct horse battery staple
                     */
                    password: string;
                    /**
                     * @description The token of the last session of this user on this device. With it, wrong passwords from other devices do not delay this sign-in, and no mail is sent about a new device. Browsers that use the session cookie have a cookie for this.
                     * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    deviceToken?: string;
                };
            };
        };
        responses: {
            /** @description The user and the new session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    previewSignOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "request": "ghr_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The `request` with which the page was opened.
                     * @example ghr_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                     */
                    request: string;
                };
            };
        };
        responses: {
            /** @description The sign-out. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null: no application is known to have asked for it. */
                        application: {
                            /**
                             * @description The id of an application: `app_` and 26 letters and digits.
                             * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /**
                             * Format: https-url
                             * @example https://example.com/logo.png
                             */
                            logoUrl: string | null;
                        } | null;
                        mustAsk: boolean;
                    };
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "request": "ghr_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The `request` with which the page was opened.
                     * @example ghr_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                     */
                    request?: string;
                };
            };
        };
        responses: {
            /** @description With `request`: the session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Send the browser there. Null: it stays.
                         * @example https://app.example.com/goodbye
                         */
                        url: string | null;
                    };
                };
            };
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Puts the session token into a cookie instead of the body. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * Format: password
                     * @description From the tenant’s minimum to 256 characters. May be left out if the tenant has `mailCodes`.
                     * @example correct horse battery staple
                     */
                    password?: string;
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string;
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    invitationToken?: string;
                    /**
                     * @description The token of an earlier session on this device, of any user. The new account knows the device by it. Without one, a new token is made. Browsers that use the session cookie have a cookie for this.
                     * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    deviceToken?: string;
                };
            };
        };
        responses: {
            /** @description The user and the new session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Words, which all must match: each is the beginning of a word of the name or the slug. Without case and accents. No wildcards. */
                query?: components["parameters"]["query.query"];
                /** @description Organizations in which the caller has this role. */
                role?: "member" | "admin" | "owner";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Organization"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Acme
                     */
                    name: string;
                    /**
                     * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                     * @example acme
                     */
                    slug?: string;
                    /**
                     * Format: picture-url
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * @description A JSON object with your own content, at most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description An organization, and the caller’s role in it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    deleteOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The slug of the organization.
                     * @example acme
                     */
                    confirm: string;
                };
            };
        };
        responses: {
            /** @description Permanently deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Acme
                     */
                    name?: string;
                    /**
                     * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                     * @example acme
                     */
                    slug?: string;
                    /**
                     * Format: picture-url
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * @description Merged with the stored object (RFC 7396). `null` for a member removes it; `null` for the object removes all members. At most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                    /**
                     * @description Only owners change it, in a fresh session. Turning it on needs a session with two factors.
                     * @enum {string}
                     */
                    secondFactor?: "optional" | "required";
                };
            };
        };
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    listOrganizationAudit: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description A comma-separated list of actions. `password.*` names a whole family. */
                action?: components["parameters"]["action"];
                /**
                 * @description Entries at or after this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                from?: components["parameters"]["from"];
                /**
                 * @description Entries before this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                to?: components["parameters"]["to"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    putOrganizationLogo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/png": string;
                "image/jpeg": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    deleteOrganizationLogo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    listTenantOrganizationMembers: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Words, which all must match: each is the beginning of a word of the name, or of the address. With `@` in it, it is the beginning of the whole address; with `@` before it, of the domain. Without case and accents. No wildcards. */
                query?: components["parameters"]["query"];
                /** @description Members with this role. */
                role?: components["parameters"]["role"];
                /**
                 * @description The member who is this user.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId?: components["parameters"]["userId.query"];
                /** @description Members who have a second factor (true) or not (false). For owners and admins. */
                hasSecondFactor?: components["parameters"]["hasSecondFactor"];
                /** @description Members whose membership is active or suspended. For callers with `members:update`. */
                status?: components["parameters"]["status.query"];
                /**
                 * @description Members who have this permission now: a noun and a verb. For callers with `members:update`.
                 * @example invoices:write
                 */
                permission?: components["parameters"]["permission"];
                /**
                 * @description Members whose membership ends before. For callers with `members:update`.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresBefore?: components["parameters"]["expiresBefore"];
                /**
                 * @description Members who were last active before, or never. For callers with `members:update`.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastActiveBefore?: components["parameters"]["lastActiveBefore"];
                /**
                 * @description Members who were active at or after. For callers with `members:update`.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastActiveAfter?: components["parameters"]["lastActiveAfter"];
                /** @description The order. `-` means descending. */
                sort?: components["parameters"]["sort"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Member"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    addTenantOrganizationMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "user_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The id of a user: `user_` and 26 letters and digits.
                     * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    userId: string;
                    /**
                     * @default member
                     * @enum {string}
                     */
                    role?: "member" | "admin" | "owner";
                    /** @description Roles of the product, beside the role. The whole list. */
                    grants?: {
                        /**
                         * @description Lowercase letters, digits and hyphens, starting with a letter.
                         * @example billing
                         */
                        role: string;
                        /**
                         * Format: date-time
                         * @description Between one minute and five years ahead. Null: no end.
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt?: string | null;
                    }[];
                    /**
                     * Format: date-time
                     * @description Between one minute and five years ahead. Null: no end.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description A membership: a user in an organization, with a role. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    getTenantOrganizationMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a membership: `mem_` and 26 letters and digits.
                 * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                memberId: components["parameters"]["memberId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A member, with everything that they may do. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberDetails"];
                };
            };
        };
    };
    removeTenantOrganizationMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a membership: `mem_` and 26 letters and digits.
                 * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                memberId: components["parameters"]["memberId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A membership: a user in an organization, with a role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    updateTenantOrganizationMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a membership: `mem_` and 26 letters and digits.
                 * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                memberId: components["parameters"]["memberId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "member"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    role?: "member" | "admin" | "owner";
                    /** @description Roles of the product, beside the role. The whole list. */
                    grants?: {
                        /**
                         * @description Lowercase letters, digits and hyphens, starting with a letter.
                         * @example billing
                         */
                        role: string;
                        /**
                         * Format: date-time
                         * @description Between one minute and five years ahead. Null: no end.
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt?: string | null;
                    }[];
                    /** @enum {string} */
                    status?: "active" | "suspended";
                    /**
                     * Format: date-time
                     * @description Between one minute and five years ahead. Null: no end.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description A membership: a user in an organization, with a role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    getMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a membership, or `me` for the caller’s own.
                 * @example me
                 */
                memberId: components["parameters"]["memberId.path"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A member, with everything that they may do. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberDetails"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a membership, or `me` for the caller’s own.
                 * @example me
                 */
                memberId: components["parameters"]["memberId.path"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A membership: a user in an organization, with a role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a membership: `mem_` and 26 letters and digits.
                 * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                memberId: components["parameters"]["memberId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "member"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    role?: "member" | "admin" | "owner";
                    /** @description Roles of the product, beside the role. The whole list. */
                    grants?: {
                        /**
                         * @description Lowercase letters, digits and hyphens, starting with a letter.
                         * @example billing
                         */
                        role: string;
                        /**
                         * Format: date-time
                         * @description Between one minute and five years ahead. Null: no end.
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt?: string | null;
                    }[];
                    /** @enum {string} */
                    status?: "active" | "suspended";
                    /**
                     * Format: date-time
                     * @description Between one minute and five years ahead. Null: no end.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description A membership: a user in an organization, with a role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Words, which all must match: each is the beginning of a word of the name, or of the address. With `@` in it, it is the beginning of the whole address; with `@` before it, of the domain. Without case and accents. No wildcards. */
                query?: components["parameters"]["query"];
                /** @description Members with this role. */
                role?: components["parameters"]["role"];
                /**
                 * @description The member who is this user.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId?: components["parameters"]["userId.query"];
                /** @description Members who have a second factor (true) or not (false). For owners and admins. */
                hasSecondFactor?: components["parameters"]["hasSecondFactor"];
                /** @description Members whose membership is active or suspended. For callers with `members:update`. */
                status?: components["parameters"]["status.query"];
                /**
                 * @description Members who have this permission now: a noun and a verb. For callers with `members:update`.
                 * @example invoices:write
                 */
                permission?: components["parameters"]["permission"];
                /**
                 * @description Members whose membership ends before. For callers with `members:update`.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                expiresBefore?: components["parameters"]["expiresBefore"];
                /**
                 * @description Members who were last active before, or never. For callers with `members:update`.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastActiveBefore?: components["parameters"]["lastActiveBefore"];
                /**
                 * @description Members who were active at or after. For callers with `members:update`.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastActiveAfter?: components["parameters"]["lastActiveAfter"];
                /** @description The order. `-` means descending. */
                sort?: components["parameters"]["sort"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Member"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    transferOwnership: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "memberId": "mem_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The id of a membership: `mem_` and 26 letters and digits.
                     * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    memberId: string;
                };
            };
        };
        responses: {
            /** @description Both members after the transfer: `from` is an admin, `to` an owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        from: components["schemas"]["Member"];
                        to: components["schemas"]["Member"];
                    };
                };
            };
        };
    };
    transferTenantOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "memberId": "mem_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The id of a membership: `mem_` and 26 letters and digits.
                     * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    memberId: string;
                };
            };
        };
        responses: {
            /** @description Both members after the transfer: `from` is an admin, `to` an owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        from: components["schemas"]["Member"];
                        to: components["schemas"]["Member"];
                    };
                };
            };
        };
    };
    getAccessModel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What may be done in an organization, and the roles that bundle it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessModel"];
                };
            };
        };
    };
    replaceAccessModel: {
        parameters: {
            query?: {
                /** @description Whether to change nothing, and only say what would. */
                dryRun?: boolean;
                /**
                 * @description Keys of roles and permissions, separated by commas, that go although somebody or a key has them.
                 * @example billing,invoices:void
                 */
                drop?: string;
            };
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "permissions": [
                 *         {
                 *           "key": "invoices:write",
                 *           "name": "Change invoices",
                 *           "description": "Write, send and void invoices.",
                 *           "minimumRole": "member"
                 *         }
                 *       ],
                 *       "roles": [
                 *         {
                 *           "key": "billing",
                 *           "was": "billing",
                 *           "name": "Change invoices",
                 *           "description": "Write, send and void invoices.",
                 *           "permissions": [
                 *             "invoices:write"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description All permissions of the product. */
                    permissions: {
                        /**
                         * @description A noun and a verb, such as `invoices:write`.
                         * @example invoices:write
                         */
                        key: string;
                        /**
                         * Format: name
                         * @example Change invoices
                         */
                        name: string;
                        /**
                         * Format: line
                         * @example Write, send and void invoices.
                         */
                        description?: string | null;
                        /**
                         * @description This role and those above it have the permission without a grant.
                         * @default admin
                         * @enum {string}
                         */
                        minimumRole?: "member" | "admin" | "owner";
                    }[];
                    /** @description All roles of the product. */
                    roles: {
                        /**
                         * @description Lowercase letters, digits and hyphens, starting with a letter.
                         * @example billing
                         */
                        key: string;
                        /**
                         * @description The former key of a role that is renamed.
                         * @example billing
                         */
                        was?: string;
                        /**
                         * Format: name
                         * @example Change invoices
                         */
                        name: string;
                        /**
                         * Format: line
                         * @example Write, send and void invoices.
                         */
                        description?: string | null;
                        permissions: string[];
                    }[];
                };
            };
        };
        responses: {
            /** @description The model, and what has changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The built-in ones first. */
                        permissions: components["schemas"]["Permission"][];
                        /** @description The built-in ones first. */
                        roles: {
                            /**
                             * @description Null for the roles `member`, `admin` and `owner`.
                             * @example rol_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string | null;
                            /**
                             * @description Lowercase letters, digits and hyphens, starting with a letter.
                             * @example billing
                             */
                            key: string;
                            /**
                             * Format: name
                             * @example Change invoices
                             */
                            name: string;
                            /**
                             * Format: line
                             * @example Write, send and void invoices.
                             */
                            description: string | null;
                            permissions: string[];
                            /** @enum {string} */
                            source: "builtIn" | "tenant";
                            /**
                             * Format: int32
                             * @description Members who have it, in all organizations. Exact to 10,000.
                             */
                            memberCount: number;
                        }[];
                        /** @description What the request changes, by key. */
                        changes: {
                            added: string[];
                            removed: string[];
                            changed: string[];
                            /**
                             * Format: int32
                             * @description Members who gain or lose a permission. Exact to 10,000.
                             */
                            affectedMembers: number;
                            /**
                             * Format: int32
                             * @description API keys that lose a permission. A key that has no other permission ends. Exact to 10,000.
                             */
                            affectedKeys: number;
                        };
                    };
                };
            };
        };
    };
    checkPermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description A noun and a verb, such as `invoices:write`.
                 * @example invoices:write
                 */
                permission: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller has the permission. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    checkPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "checks": [
                 *         {
                 *           "organizationId": "org_01k9zq3v5hf8gs4m2y7c6t0wdn",
                 *           "permission": "invoices:write",
                 *           "userId": "user_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    checks: {
                        /**
                         * @description The id of an organization: `org_` and 26 letters and digits.
                         * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                         */
                        organizationId: string;
                        /**
                         * @description A noun and a verb, such as `invoices:write`.
                         * @example invoices:write
                         */
                        permission: string;
                        /**
                         * @description Whom a key of the tenant asks about, instead of itself.
                         * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                         */
                        userId?: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description A result for each check. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: {
                            allowed: boolean;
                            /**
                             * @description Why not.
                             * @enum {string}
                             */
                            reason?: "not_granted" | "not_a_member" | "membership_suspended" | "second_factor_required" | "unknown_permission";
                            /**
                             * Format: date-time
                             * @description When time alone may end it.
                             * @example 2026-01-31T09:30:00.000Z
                             */
                            until?: string;
                        }[];
                    };
                };
            };
        };
    };
    listRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All roles, and all permissions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Role"][];
                        /** @description The built-in ones first. */
                        permissions: components["schemas"]["Permission"][];
                    };
                };
            };
        };
    };
    listTenantOrganizationRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All roles, and all permissions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Role"][];
                        /** @description The built-in ones first. */
                        permissions: components["schemas"]["Permission"][];
                    };
                };
            };
        };
    };
    previewLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghl_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The token of a link to join.
                     * @example ghl_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description What the link offers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        organization: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /** @example acme */
                            slug: string;
                            /**
                             * Format: picture-url
                             * @example https://example.com/logo.png
                             */
                            logoUrl: string | null;
                        };
                        invitedBy: components["schemas"]["Person"] | null;
                        /** @description What a member who joins by it is: `member`, and roles of the product. */
                        roles: {
                            /**
                             * @description Lowercase letters, digits and hyphens, starting with a letter.
                             * @example billing
                             */
                            key: string;
                            name: string;
                        }[];
                        emailDomains: string[];
                        /**
                         * Format: date-time
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    joinByLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghl_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The token of a link to join.
                     * @example ghl_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The organization, and the membership in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        organization: components["schemas"]["Organization"];
                        member: components["schemas"]["Member"];
                    };
                };
            };
        };
    };
    listLinks: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Links with this status. */
                status?: "live" | "ended";
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Link"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "grants": [
                 *         {
                 *           "role": "billing",
                 *           "expiresAt": "2026-01-31T09:30:00.000Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Roles of the product, beside the role. The whole list. */
                    grants?: {
                        /**
                         * @description Lowercase letters, digits and hyphens, starting with a letter.
                         * @example billing
                         */
                        role: string;
                        /**
                         * Format: date-time
                         * @description Between one minute and five years ahead. Null: no end.
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt?: string | null;
                    }[];
                    /**
                     * Format: int32
                     * @default 25
                     */
                    maxUses?: number;
                    /** @description Only verified addresses of these domains may join. */
                    emailDomains?: string[];
                    /**
                     * Format: int32
                     * @default 7
                     */
                    expiresInDays?: number;
                    /**
                     * Format: date-time
                     * @description Between one minute and five years ahead. Null: no end.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    memberExpiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description A link by which anybody who has it can join as a member. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    getLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a link to join: `lnk_` and 26 letters and digits.
                 * @example lnk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A link by which anybody who has it can join as a member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    endLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a link to join: `lnk_` and 26 letters and digits.
                 * @example lnk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A link by which anybody who has it can join as a member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization, and the membership in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        organization: components["schemas"]["Organization"];
                        member: components["schemas"]["Member"];
                    };
                };
            };
        };
    };
    declineInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    inviteMembers: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invites": [
                 *         {
                 *           "email": "ann@example.com",
                 *           "role": "member",
                 *           "grants": [
                 *             {
                 *               "role": "billing",
                 *               "expiresAt": "2026-01-31T09:30:00.000Z"
                 *             }
                 *           ],
                 *           "memberExpiresAt": "2026-01-31T09:30:00.000Z",
                 *           "expiresInDays": 1,
                 *           "locale": "en-GB",
                 *           "mail": true
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Each address only once. */
                    invites: {
                        /**
                         * Format: email
                         * @example ann@example.com
                         */
                        email: string;
                        /**
                         * @default member
                         * @enum {string}
                         */
                        role?: "member" | "admin" | "owner";
                        /** @description Roles of the product, beside the role. The whole list. */
                        grants?: {
                            /**
                             * @description Lowercase letters, digits and hyphens, starting with a letter.
                             * @example billing
                             */
                            role: string;
                            /**
                             * Format: date-time
                             * @description Between one minute and five years ahead. Null: no end.
                             * @example 2026-01-31T09:30:00.000Z
                             */
                            expiresAt?: string | null;
                        }[];
                        /**
                         * Format: date-time
                         * @description Between one minute and five years ahead. Null: no end.
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        memberExpiresAt?: string | null;
                        /**
                         * Format: int32
                         * @description How many days the invitation and its link live.
                         * @default 7
                         */
                        expiresInDays?: number;
                        /**
                         * Format: locale
                         * @description The language of the mail, where the service has it.
                         * @example en-GB
                         */
                        locale?: string;
                        /**
                         * @description False: no mail tells of it. It waits in the list of the invited person, once their address is verified.
                         * @default true
                         */
                        mail?: boolean;
                    }[];
                };
            };
        };
        responses: {
            /** @description A result for each row, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: {
                            /** @example bob@example.com */
                            email: string;
                            /** @enum {string} */
                            outcome: "sent" | "role_above_yours" | "owner_cannot_end" | "email_domain_not_allowed" | "already_a_member" | "already_invited" | "limit_reached" | "rate_limited";
                            invitation?: components["schemas"]["Invitation"];
                            /**
                             * @description The pending invitation to the address, if it has one.
                             * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            invitationId?: string;
                            /** @description With `role_above_yours`: the permissions that the caller does not hold. */
                            missing?: string[];
                            /**
                             * Format: date-time
                             * @description With `role_above_yours`: the latest end that the caller can give. Null: an end is not what is lacking.
                             * @example 2026-01-31T09:30:00.000Z
                             */
                            until?: string | null;
                        }[];
                    };
                };
            };
        };
    };
    listTenantOrganizationInvitations: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Words, which all must match: each is the beginning of a word of the address. With `@` in it, it is the beginning of the whole address; with `@` before it, of the domain. No wildcards. */
                query?: components["parameters"]["query.query.2"];
                /** @description Invitations with this status. */
                status?: components["parameters"]["status.query.2"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    inviteTenantOrganizationMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * @default member
                     * @enum {string}
                     */
                    role?: "member" | "admin" | "owner";
                    /** @description Roles of the product, beside the role. The whole list. */
                    grants?: {
                        /**
                         * @description Lowercase letters, digits and hyphens, starting with a letter.
                         * @example billing
                         */
                        role: string;
                        /**
                         * Format: date-time
                         * @description Between one minute and five years ahead. Null: no end.
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt?: string | null;
                    }[];
                    /**
                     * Format: date-time
                     * @description Between one minute and five years ahead. Null: no end.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    memberExpiresAt?: string | null;
                    /**
                     * Format: int32
                     * @description How many days the invitation and its link live.
                     * @default 7
                     */
                    expiresInDays?: number;
                    /**
                     * Format: locale
                     * @description The language of the mail, where the service has it.
                     * @example en-GB
                     */
                    locale?: string;
                    /**
                     * @description False: no mail tells of it. It waits in the list of the invited person, once their address is verified.
                     * @default true
                     */
                    mail?: boolean;
                };
            };
        };
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    getTenantOrganizationInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    revokeTenantOrganizationInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    inviteTenantOrganizationMembers: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invites": [
                 *         {
                 *           "email": "ann@example.com",
                 *           "role": "member",
                 *           "grants": [
                 *             {
                 *               "role": "billing",
                 *               "expiresAt": "2026-01-31T09:30:00.000Z"
                 *             }
                 *           ],
                 *           "memberExpiresAt": "2026-01-31T09:30:00.000Z",
                 *           "expiresInDays": 1,
                 *           "locale": "en-GB",
                 *           "mail": true
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Each address only once. */
                    invites: {
                        /**
                         * Format: email
                         * @example ann@example.com
                         */
                        email: string;
                        /**
                         * @default member
                         * @enum {string}
                         */
                        role?: "member" | "admin" | "owner";
                        /** @description Roles of the product, beside the role. The whole list. */
                        grants?: {
                            /**
                             * @description Lowercase letters, digits and hyphens, starting with a letter.
                             * @example billing
                             */
                            role: string;
                            /**
                             * Format: date-time
                             * @description Between one minute and five years ahead. Null: no end.
                             * @example 2026-01-31T09:30:00.000Z
                             */
                            expiresAt?: string | null;
                        }[];
                        /**
                         * Format: date-time
                         * @description Between one minute and five years ahead. Null: no end.
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        memberExpiresAt?: string | null;
                        /**
                         * Format: int32
                         * @description How many days the invitation and its link live.
                         * @default 7
                         */
                        expiresInDays?: number;
                        /**
                         * Format: locale
                         * @description The language of the mail, where the service has it.
                         * @example en-GB
                         */
                        locale?: string;
                        /**
                         * @description False: no mail tells of it. It waits in the list of the invited person, once their address is verified.
                         * @default true
                         */
                        mail?: boolean;
                    }[];
                };
            };
        };
        responses: {
            /** @description A result for each row, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: {
                            /** @example bob@example.com */
                            email: string;
                            /** @enum {string} */
                            outcome: "sent" | "role_above_yours" | "owner_cannot_end" | "email_domain_not_allowed" | "already_a_member" | "already_invited" | "limit_reached" | "rate_limited";
                            invitation?: components["schemas"]["Invitation"];
                            /**
                             * @description The pending invitation to the address, if it has one.
                             * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            invitationId?: string;
                            /** @description With `role_above_yours`: the permissions that the caller does not hold. */
                            missing?: string[];
                            /**
                             * Format: date-time
                             * @description With `role_above_yours`: the latest end that the caller can give. Null: an end is not what is lacking.
                             * @example 2026-01-31T09:30:00.000Z
                             */
                            until?: string | null;
                        }[];
                    };
                };
            };
        };
    };
    resendTenantOrganizationInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "expiresInDays": 1
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How many days the invitation and its link live.
                     * @default 7
                     */
                    expiresInDays?: number;
                };
            };
        };
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Words, which all must match: each is the beginning of a word of the address. With `@` in it, it is the beginning of the whole address; with `@` before it, of the domain. No wildcards. */
                query?: components["parameters"]["query.query.2"];
                /** @description Invitations with this status. */
                status?: components["parameters"]["status.query.2"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * @default member
                     * @enum {string}
                     */
                    role?: "member" | "admin" | "owner";
                    /** @description Roles of the product, beside the role. The whole list. */
                    grants?: {
                        /**
                         * @description Lowercase letters, digits and hyphens, starting with a letter.
                         * @example billing
                         */
                        role: string;
                        /**
                         * Format: date-time
                         * @description Between one minute and five years ahead. Null: no end.
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt?: string | null;
                    }[];
                    /**
                     * Format: date-time
                     * @description Between one minute and five years ahead. Null: no end.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    memberExpiresAt?: string | null;
                    /**
                     * Format: int32
                     * @description How many days the invitation and its link live.
                     * @default 7
                     */
                    expiresInDays?: number;
                    /**
                     * Format: locale
                     * @description The language of the mail, where the service has it.
                     * @example en-GB
                     */
                    locale?: string;
                    /**
                     * @description False: no mail tells of it. It waits in the list of the invited person, once their address is verified.
                     * @default true
                     */
                    mail?: boolean;
                };
            };
        };
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    listMyInvitations: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    previewInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path: {
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The invitation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        organization: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /** @example Acme */
                            name: string;
                            /** @example acme */
                            slug: string;
                            logoUrl: string | null;
                        };
                        invitedBy: components["schemas"]["Maker"] | null;
                        /** @example bob@example.com */
                        email: string;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /** @description Roles of the product that a membership by it gets. */
                        grants: {
                            /**
                             * @description Lowercase letters, digits and hyphens, starting with a letter.
                             * @example billing
                             */
                            role: string;
                            /**
                             * Format: name
                             * @example Change invoices
                             */
                            name: string;
                            /**
                             * Format: date-time
                             * @example 2026-01-31T09:30:00.000Z
                             */
                            expiresAt: string | null;
                        }[];
                        /**
                         * Format: date-time
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        memberExpiresAt: string | null;
                        /**
                         * Format: locale
                         * @description A language tag (BCP 47).
                         * @example en-GB
                         */
                        locale: string | null;
                        /**
                         * Format: date-time
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt: string;
                        /** @description Whether the invited address has an account: then sign in, else sign up. */
                        hasAccount: boolean;
                    };
                };
            };
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "expiresInDays": 1
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How many days the invitation and its link live.
                     * @default 7
                     */
                    expiresInDays?: number;
                };
            };
        };
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Adds `total`, which is exact up to 10,000. */
                includeTotal?: components["parameters"]["includeTotal"];
                /** @description Words, which all must match: each is the beginning of a word of the name, or of the address. With `@` in it, it is the beginning of the whole address; with `@` before it, of the domain. Without case and accents. No wildcards. */
                query?: components["parameters"]["query"];
                /** @description A comma-separated list: users with one of these addresses. */
                email?: string[];
                /** @description A comma-separated list: users with one of these ids. */
                id?: string[];
                /** @description Users with this status. */
                status?: "active" | "suspended";
                /** @description Users with this role in the tenant. */
                role?: "admin" | "user";
                /** @description Users whose email address is verified (true) or not (false). */
                emailVerified?: boolean;
                /** @description Users who have a second factor (true) or not (false). */
                hasSecondFactor?: boolean;
                /**
                 * @description Members of the organization with this id.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organizationId?: string;
                /**
                 * @description Created at or after this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                createdAfter?: string;
                /**
                 * @description Created before this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                createdBefore?: string;
                /**
                 * @description Active at or after this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastActiveAfter?: string;
                /**
                 * @description Last active before this time, or never.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                lastActiveBefore?: string;
                /**
                 * @description The user with this external id.
                 * @example customer-1042
                 */
                externalId?: string;
                /** @description The order. `-` means descending. */
                sort?: "createdAt" | "-createdAt" | "email" | "-email" | "name" | "-name" | "lastActiveAt" | "-lastActiveAt";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                        /** Format: int32 */
                        total?: number;
                        /** @description True if there are more than 10,000. */
                        totalCapped?: boolean;
                    };
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string;
                    /** @enum {string} */
                    role?: "admin" | "user";
                    /**
                     * Format: line
                     * @description Your own id of it. No two users of a tenant have the same, and no two organizations.
                     * @example customer-1042
                     */
                    externalId?: string;
                    /**
                     * Format: password
                     * @description Your own password. Required to make somebody an admin if you have a password and signed in with one factor; otherwise the session must be fresh.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Permanently deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ann"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string | null;
                    /**
                     * @example user
                     * @enum {string}
                     */
                    role?: "admin" | "user";
                    /** @enum {string} */
                    status?: "active" | "suspended";
                    /**
                     * @description Merged with the stored object (RFC 7396). `null` for a member removes it; `null` for the object removes all members. At most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    appMetadata?: {
                        [key: string]: unknown;
                    } | null;
                    /**
                     * Format: line
                     * @description Your own id of it. No two users of a tenant have the same, and no two organizations.
                     * @example customer-1042
                     */
                    externalId?: string | null;
                    /**
                     * Format: password
                     * @description Your own password. Required to make somebody an admin if you have a password and signed in with one factor; otherwise the session must be fresh.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    listTenantOrganizations: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Adds `total`, which is exact up to 10,000. */
                includeTotal?: components["parameters"]["includeTotal"];
                /** @description Words, which all must match: each is the beginning of a word of the name or the slug. Without case and accents. No wildcards. */
                query?: components["parameters"]["query.query"];
                /** @description A comma-separated list: organizations with one of these ids. */
                id?: string[];
                /**
                 * @description Organizations of which this user is a member.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId?: string;
                /**
                 * @description The organization with this external id.
                 * @example customer-1042
                 */
                externalId?: string;
                /** @description The order. `-` means descending. */
                sort?: "name" | "-name" | "createdAt" | "-createdAt";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Organization"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                        /** Format: int32 */
                        total?: number;
                        /** @description True if there are more than 10,000. */
                        totalCapped?: boolean;
                    };
                };
            };
        };
    };
    createTenantOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "ownerId": "user_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Acme
                     */
                    name: string;
                    /**
                     * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                     * @example acme
                     */
                    slug?: string;
                    /**
                     * @description An active user of the tenant.
                     * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    ownerId: string;
                    /**
                     * Format: picture-url
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * @description A JSON object with your own content, at most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: line
                     * @description Your own id of it. No two users of a tenant have the same, and no two organizations.
                     * @example customer-1042
                     */
                    externalId?: string | null;
                };
            };
        };
        responses: {
            /** @description An organization, and the caller’s role in it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    getTenantOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    deleteTenantOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The slug of the organization.
                     * @example acme
                     */
                    confirm: string;
                };
            };
        };
        responses: {
            /** @description Permanently deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateTenantOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Acme
                     */
                    name?: string;
                    /**
                     * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                     * @example acme
                     */
                    slug?: string;
                    /**
                     * Format: picture-url
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * @description Merged with the stored object (RFC 7396). `null` for a member removes it; `null` for the object removes all members. At most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                    /**
                     * Format: line
                     * @description Your own id of it. No two users of a tenant have the same, and no two organizations.
                     * @example customer-1042
                     */
                    externalId?: string | null;
                    /**
                     * Format: int32
                     * @description The most members. Null: as many as the tenant allows.
                     */
                    memberLimit?: number | null;
                };
            };
        };
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    getTenantSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All settings of a tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    updateTenantSettings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "The Shop"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example The Shop
                     */
                    name?: string;
                    brand?: {
                        /**
                         * Format: picture-url
                         * @example https://example.com/logo.png
                         */
                        logoUrl?: string | null;
                        /** @example #0f766e */
                        color?: string | null;
                    };
                    /** @enum {string} */
                    signUp?: "open" | "invited_only" | "closed";
                    /** @description The domains that addresses may have when people sign up, are invited or change their address. Empty: all. Subdomains are not included. */
                    allowedEmailDomains?: string[];
                    /**
                     * Format: int32
                     * @description In characters.
                     */
                    passwordMinimum?: number;
                    /**
                     * Format: int32
                     * @example 1209600
                     */
                    sessionIdleSeconds?: number;
                    /**
                     * Format: int32
                     * @example 2592000
                     */
                    sessionAbsoluteSeconds?: number;
                    /**
                     * Format: int32
                     * @example 34560000
                     */
                    auditRetentionSeconds?: number;
                    /**
                     * Format: int32
                     * @description How long events are kept. Never longer than the audit log.
                     * @example 2592000
                     */
                    eventRetentionSeconds?: number;
                    /** @description Whether pages may show pictures from other servers. */
                    remotePictures?: boolean;
                    /**
                     * @description Who needs a second factor: nobody, the tenant’s admins, or everybody. Changing it needs a fresh session, and turning it on one with two factors.
                     * @example optional
                     * @enum {string}
                     */
                    secondFactor?: "optional" | "admins" | "required";
                    /** @description Whether organizations may have links to join. Off: existing ones are dead. */
                    shareLinks?: boolean;
                    /**
                     * Format: int32
                     * @description The most members of an organization that has no limit of its own. Null: any number.
                     */
                    memberLimit?: number | null;
                    /** @description Whether a mailed code signs in. Changing it needs a fresh session. */
                    mailCodes?: boolean;
                    /**
                     * Format: int32
                     * @description How long a signed token lives at most.
                     * @example 300
                     */
                    tokenSeconds?: number;
                    /** @description For whom tokens may be signed; the first is the default. Empty: for the tenant’s id. Never the id of an application, for which ID tokens are. */
                    tokenAudiences?: string[];
                    /** @description Whether people may have keys. Off: existing ones are refused. */
                    personalKeys?: boolean;
                    /** @description Whether organizations may have keys. Off: existing ones are refused. */
                    organizationKeys?: boolean;
                    /** @description Whether organizations may have webhooks. Off: existing ones are paused. */
                    organizationWebhooks?: boolean;
                    /**
                     * Format: int32
                     * @description How long a key of an organization or of the tenant lives on after its holder, who knows its secret, has lost the right to it.
                     * @example 604800
                     */
                    keyGraceSeconds?: number;
                };
            };
        };
        responses: {
            /** @description All settings of a tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    putTenantLogo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/png": string;
                "image/jpeg": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description All settings of a tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    deleteTenantLogo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All settings of a tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    putTenantOrganizationLogo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/png": string;
                "image/jpeg": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    deleteTenantOrganizationLogo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    listTenantAudit: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description A comma-separated list of actions. `password.*` names a whole family. */
                action?: components["parameters"]["action"];
                /**
                 * @description Entries at or after this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                from?: components["parameters"]["from"];
                /**
                 * @description Entries before this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                to?: components["parameters"]["to"];
                /**
                 * @description Entries of the organization with this id.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organizationId?: components["parameters"]["organizationId"];
                /**
                 * @description Entries whose actor or target has this id, and the ends of their keys.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getTenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public settings of a tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    getUserDeletionImpact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What would be deleted, and what prevents the deletion. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What would be deleted: live sessions, memberships and pending invitations. */
                        counts: {
                            /**
                             * Format: int32
                             * @example 3
                             */
                            sessions: number;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            memberships: number;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            invitationsSent: number;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            invitationsReceived: number;
                        };
                        /** @description Deleted with the account, because nobody else is a member. */
                        deletedOrganizations: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /**
                             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                             * @example acme
                             */
                            slug: string;
                        }[];
                        /** @description They prevent the deletion: the user is their only owner, and they have other members. */
                        blockingOrganizations: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /**
                             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                             * @example acme
                             */
                            slug: string;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            memberCount: number;
                            /** @description Active members who could become the owner: admins first, then by date of joining. At most 20. In one’s own, empty if the session lacks a second factor that the organization or the tenant requires. */
                            candidates: components["schemas"]["Member"][];
                        }[];
                        /** @description True if the tenant has no other active admin. This prevents the deletion. */
                        isLastAdmin: boolean;
                    };
                };
            };
        };
    };
    listUserDevices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Device"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    endUserDevices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of sessions that were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int32 */
                        endedSessions: number;
                    };
                };
            };
        };
    };
    endUserDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
                /**
                 * @description The id of a device: `dev_` and 26 letters and digits.
                 * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                deviceId: components["parameters"]["deviceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A session: a device on which somebody is signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    listUserFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Factor"][];
                        recoveryCodes: {
                            /** Format: int32 */
                            left: number;
                            /**
                             * Format: date-time
                             * @example 2026-01-31T09:30:00.000Z
                             */
                            createdAt: string;
                        } | null;
                        /** @description Who requires a second factor: `tenant`, and the ids of organizations. */
                        requiredBy: string[];
                    };
                };
            };
        };
    };
    resetUserFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of factors and linked accounts that were removed, and of sessions that were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int32 */
                        removed: number;
                        /** Format: int32 */
                        endedSessions: number;
                    };
                };
            };
        };
    };
    listUserIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Identity"][];
                    };
                };
            };
        };
    };
    unlinkUserIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
                /**
                 * @description The id of an identity: `idn_` and 26 letters and digits.
                 * @example idn_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                identityId: components["parameters"]["identityId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An account at a provider that signs the user in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
        };
    };
    listTenantWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Deliveries with this status. */
                status?: components["parameters"]["status.query.3"];
                /** @description A comma-separated list of types. `member.*` names a whole family. */
                types?: components["parameters"]["types"];
                /**
                 * @description Events at or after this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                from?: components["parameters"]["from.query"];
                /**
                 * @description Events before this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                to?: components["parameters"]["to.query"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listOrganizationWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Deliveries with this status. */
                status?: components["parameters"]["status.query.3"];
                /** @description A comma-separated list of types. `member.*` names a whole family. */
                types?: components["parameters"]["types"];
                /**
                 * @description Events at or after this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                from?: components["parameters"]["from.query"];
                /**
                 * @description Events before this time.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                to?: components["parameters"]["to.query"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    retryTenantWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "sequences": [
                 *         1769851800000000
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Those of the log to send again. Absent: all that failed. */
                    sequences?: number[];
                };
            };
        };
        responses: {
            /** @description They are sent soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: int32
                         * @description How many are sent again.
                         */
                        retried: number;
                    };
                };
            };
        };
    };
    retryOrganizationWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "sequences": [
                 *         1769851800000000
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Those of the log to send again. Absent: all that failed. */
                    sequences?: number[];
                };
            };
        };
        responses: {
            /** @description They are sent soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: int32
                         * @description How many are sent again.
                         */
                        retried: number;
                    };
                };
            };
        };
    };
    testTenantWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where events of the tenant or of an organization are sent. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    testOrganizationWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where events of the tenant or of an organization are sent. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    listOrganizationWebhooks: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createOrganizationWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Billing",
                 *       "url": "https://billing.example.com/guildhall"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the webhook is for.
                     * @example Billing
                     */
                    name: string;
                    /**
                     * Format: line
                     * @description Where events are sent.
                     * @example https://billing.example.com/guildhall
                     */
                    url: string;
                    /** @description Types of events, and families such as `member.*`. Empty, the default: all. A sign-up is `user.signed_up`; `user.created` is an account that an admin makes. */
                    types?: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.confirmed" | "session.refused" | "session.revoked" | "session.signed_out" | "session.expired" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "password.removed" | "factor.added" | "factor.removed" | "factors.reset" | "recovery_codes.made" | "recovery_code.used" | "identity.linked" | "identity.unlinked" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "link.created" | "link.ended" | "member.joined" | "member.role_changed" | "member.grants_changed" | "member.suspended" | "member.reactivated" | "member.expiry_changed" | "member.expired" | "member.removed" | "member.left" | "key.created" | "key.narrowed" | "key.rotated" | "key.holder_left" | "key.ended" | "access.updated" | "provider.created" | "provider.updated" | "provider.deleted" | "application.created" | "application.updated" | "application.secret_rotated" | "application.deleted" | "application.signed_in" | "application.token_reused" | "webhook.created" | "webhook.updated" | "webhook.rotated" | "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "webhook.deleted" | "tenant.created" | "tenant.updated" | "tenant.keys_rotated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "factor.*" | "factors.*" | "recovery_codes.*" | "recovery_code.*" | "identity.*" | "profile.*" | "organization.*" | "invitation.*" | "link.*" | "member.*" | "key.*" | "access.*" | "provider.*" | "application.*" | "webhook.*" | "tenant.*")[];
                    /**
                     * Format: int64
                     * @description A place in the feed, after which it reads: a `sequence`, or `latest`. Not together with `from`.
                     * @example latest
                     * @example 1769851800000000
                     */
                    after?: number | string;
                    /**
                     * Format: date-time
                     * @description Instead of `after`: it sends events from this time on.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    from?: string;
                    /**
                     * @description While it is disabled, nothing is sent.
                     * @enum {string}
                     */
                    status?: "active" | "disabled";
                };
            };
        };
        responses: {
            /** @description A webhook and its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getOrganizationWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where events of the tenant or of an organization are sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteOrganizationWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Permanently deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateOrganizationWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Billing"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the webhook is for.
                     * @example Billing
                     */
                    name?: string;
                    /**
                     * Format: line
                     * @description Where events are sent.
                     * @example https://billing.example.com/guildhall
                     */
                    url?: string;
                    /** @description Types of events, and families such as `member.*`. Empty, the default: all. A sign-up is `user.signed_up`; `user.created` is an account that an admin makes. */
                    types?: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.confirmed" | "session.refused" | "session.revoked" | "session.signed_out" | "session.expired" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "password.removed" | "factor.added" | "factor.removed" | "factors.reset" | "recovery_codes.made" | "recovery_code.used" | "identity.linked" | "identity.unlinked" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "link.created" | "link.ended" | "member.joined" | "member.role_changed" | "member.grants_changed" | "member.suspended" | "member.reactivated" | "member.expiry_changed" | "member.expired" | "member.removed" | "member.left" | "key.created" | "key.narrowed" | "key.rotated" | "key.holder_left" | "key.ended" | "access.updated" | "provider.created" | "provider.updated" | "provider.deleted" | "application.created" | "application.updated" | "application.secret_rotated" | "application.deleted" | "application.signed_in" | "application.token_reused" | "webhook.created" | "webhook.updated" | "webhook.rotated" | "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "webhook.deleted" | "tenant.created" | "tenant.updated" | "tenant.keys_rotated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "factor.*" | "factors.*" | "recovery_codes.*" | "recovery_code.*" | "identity.*" | "profile.*" | "organization.*" | "invitation.*" | "link.*" | "member.*" | "key.*" | "access.*" | "provider.*" | "application.*" | "webhook.*" | "tenant.*")[];
                    /**
                     * Format: int64
                     * @description A place in the feed, after which it reads: a `sequence`, or `latest`. Not together with `from`.
                     * @example latest
                     * @example 1769851800000000
                     */
                    after?: number | string;
                    /**
                     * Format: date-time
                     * @description Instead of `after`: it sends events from this time on.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    from?: string;
                    /**
                     * @description While it is disabled, nothing is sent.
                     * @enum {string}
                     */
                    status?: "active" | "disabled";
                };
            };
        };
        responses: {
            /** @description Where events of the tenant or of an organization are sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotateOrganizationWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How long the secret before signs, too.
                     * @default 86400
                     */
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            /** @description A webhook and its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    listTenantWebhooks: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createTenantWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Billing",
                 *       "url": "https://billing.example.com/guildhall"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the webhook is for.
                     * @example Billing
                     */
                    name: string;
                    /**
                     * Format: line
                     * @description Where events are sent.
                     * @example https://billing.example.com/guildhall
                     */
                    url: string;
                    /** @description Types of events, and families such as `member.*`. Empty, the default: all. A sign-up is `user.signed_up`; `user.created` is an account that an admin makes. */
                    types?: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.confirmed" | "session.refused" | "session.revoked" | "session.signed_out" | "session.expired" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "password.removed" | "factor.added" | "factor.removed" | "factors.reset" | "recovery_codes.made" | "recovery_code.used" | "identity.linked" | "identity.unlinked" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "link.created" | "link.ended" | "member.joined" | "member.role_changed" | "member.grants_changed" | "member.suspended" | "member.reactivated" | "member.expiry_changed" | "member.expired" | "member.removed" | "member.left" | "key.created" | "key.narrowed" | "key.rotated" | "key.holder_left" | "key.ended" | "access.updated" | "provider.created" | "provider.updated" | "provider.deleted" | "application.created" | "application.updated" | "application.secret_rotated" | "application.deleted" | "application.signed_in" | "application.token_reused" | "webhook.created" | "webhook.updated" | "webhook.rotated" | "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "webhook.deleted" | "tenant.created" | "tenant.updated" | "tenant.keys_rotated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "factor.*" | "factors.*" | "recovery_codes.*" | "recovery_code.*" | "identity.*" | "profile.*" | "organization.*" | "invitation.*" | "link.*" | "member.*" | "key.*" | "access.*" | "provider.*" | "application.*" | "webhook.*" | "tenant.*")[];
                    /**
                     * Format: int64
                     * @description A place in the feed, after which it reads: a `sequence`, or `latest`. Not together with `from`.
                     * @example latest
                     * @example 1769851800000000
                     */
                    after?: number | string;
                    /**
                     * Format: date-time
                     * @description Instead of `after`: it sends events from this time on.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    from?: string;
                    /**
                     * @description While it is disabled, nothing is sent.
                     * @enum {string}
                     */
                    status?: "active" | "disabled";
                };
            };
        };
        responses: {
            /** @description A webhook and its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getTenantWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where events of the tenant or of an organization are sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteTenantWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Permanently deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateTenantWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Billing"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the webhook is for.
                     * @example Billing
                     */
                    name?: string;
                    /**
                     * Format: line
                     * @description Where events are sent.
                     * @example https://billing.example.com/guildhall
                     */
                    url?: string;
                    /** @description Types of events, and families such as `member.*`. Empty, the default: all. A sign-up is `user.signed_up`; `user.created` is an account that an admin makes. */
                    types?: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.confirmed" | "session.refused" | "session.revoked" | "session.signed_out" | "session.expired" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "password.removed" | "factor.added" | "factor.removed" | "factors.reset" | "recovery_codes.made" | "recovery_code.used" | "identity.linked" | "identity.unlinked" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "link.created" | "link.ended" | "member.joined" | "member.role_changed" | "member.grants_changed" | "member.suspended" | "member.reactivated" | "member.expiry_changed" | "member.expired" | "member.removed" | "member.left" | "key.created" | "key.narrowed" | "key.rotated" | "key.holder_left" | "key.ended" | "access.updated" | "provider.created" | "provider.updated" | "provider.deleted" | "application.created" | "application.updated" | "application.secret_rotated" | "application.deleted" | "application.signed_in" | "application.token_reused" | "webhook.created" | "webhook.updated" | "webhook.rotated" | "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "webhook.deleted" | "tenant.created" | "tenant.updated" | "tenant.keys_rotated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "factor.*" | "factors.*" | "recovery_codes.*" | "recovery_code.*" | "identity.*" | "profile.*" | "organization.*" | "invitation.*" | "link.*" | "member.*" | "key.*" | "access.*" | "provider.*" | "application.*" | "webhook.*" | "tenant.*")[];
                    /**
                     * Format: int64
                     * @description A place in the feed, after which it reads: a `sequence`, or `latest`. Not together with `from`.
                     * @example latest
                     * @example 1769851800000000
                     */
                    after?: number | string;
                    /**
                     * Format: date-time
                     * @description Instead of `after`: it sends events from this time on.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    from?: string;
                    /**
                     * @description While it is disabled, nothing is sent.
                     * @enum {string}
                     */
                    status?: "active" | "disabled";
                };
            };
        };
        responses: {
            /** @description Where events of the tenant or of an organization are sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotateTenantWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook: `whk_` and 26 letters and digits.
                 * @example whk_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How long the secret before signs, too.
                     * @default 86400
                     */
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            /** @description A webhook and its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    listTenantEvents: {
        parameters: {
            query?: {
                /**
                 * @description A place: the `nextAfter` of the answer before, or a `sequence`. `latest` answers no events, and the place from which to follow once you have read the lists.
                 * @example latest
                 */
                after?: components["parameters"]["after"];
                /**
                 * @description Without `after`: events from this time on. Without both, from the oldest on.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                from?: components["parameters"]["from.query.2"];
                /** @description A comma-separated list of types. `member.*` names a whole family. */
                types?: components["parameters"]["types"];
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Events of the organization with this id.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organizationId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events in their order, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        /**
                         * Format: int64
                         * @description Send it as `after` to read on. It is valid as long as the events after it are kept.
                         * @example 1769851800000000
                         */
                        nextAfter: number;
                        /** @description Whether to read on at once. If not, there are no more events yet. */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    listOrganizationEvents: {
        parameters: {
            query?: {
                /**
                 * @description A place: the `nextAfter` of the answer before, or a `sequence`. `latest` answers no events, and the place from which to follow once you have read the lists.
                 * @example latest
                 */
                after?: components["parameters"]["after"];
                /**
                 * @description Without `after`: events from this time on. Without both, from the oldest on.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                from?: components["parameters"]["from.query.2"];
                /** @description A comma-separated list of types. `member.*` names a whole family. */
                types?: components["parameters"]["types"];
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events in their order, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        /**
                         * Format: int64
                         * @description Send it as `after` to read on. It is valid as long as the events after it are kept.
                         * @example 1769851800000000
                         */
                        nextAfter: number;
                        /** @description Whether to read on at once. If not, there are no more events yet. */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Provider"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    createProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "google",
                 *       "name": "Acme Login",
                 *       "clientId": "guildhall"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "google" | "microsoft" | "github" | "oidc";
                    /**
                     * Format: name
                     * @example Acme Login
                     */
                    name: string;
                    /** @example guildhall */
                    clientId: string;
                    /**
                     * @description Visible ASCII characters without spaces. Never returned. A public client has none.
                     * @example a-secret-from-the-provider
                     */
                    clientSecret?: string;
                    /**
                     * Format: issuer
                     * @description Of `oidc`, which needs it. Plain http needs the operator’s `OUTBOUND_PRIVATE`.
                     * @example https://login.example.com
                     */
                    issuer?: string | null;
                    /**
                     * @description Who may sign in: the id of a Microsoft tenant, `organizations`, `consumers`, or `common` for both.
                     * @example common
                     */
                    microsoftTenant?: string | null;
                    /** @description Whether people can sign in with it. */
                    enabled?: boolean;
                    /** @description Of `oidc`: whether addresses that the provider calls verified are believed when accounts are created. */
                    trustsEmail?: boolean;
                    /** @description Where a product’s own pages and apps may receive the answer of the provider, beside `callbackUrl`. No two providers share one. */
                    redirectUris?: string[];
                };
            };
        };
        responses: {
            /** @description A provider that people sign in with: Google, Microsoft, GitHub or any OpenID provider. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    getProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a provider: `idp_` and 26 letters and digits.
                 * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                providerId: components["parameters"]["providerId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A provider that people sign in with: Google, Microsoft, GitHub or any OpenID provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    deleteProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a provider: `idp_` and 26 letters and digits.
                 * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                providerId: components["parameters"]["providerId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "Acme Login"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The name of the provider.
                     * @example Acme Login
                     */
                    confirm: string;
                };
            };
        };
        responses: {
            /** @description Permanently deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a provider: `idp_` and 26 letters and digits.
                 * @example idp_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                providerId: components["parameters"]["providerId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme Login"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Acme Login
                     */
                    name?: string;
                    /** @description Whether people can sign in with it. */
                    enabled?: boolean;
                    /** @example guildhall */
                    clientId?: string;
                    /** @description Of `oidc`: whether addresses that the provider calls verified are believed when accounts are created. */
                    trustsEmail?: boolean;
                    /** @description Where a product’s own pages and apps may receive the answer of the provider, beside `callbackUrl`. No two providers share one. */
                    redirectUris?: string[];
                    /**
                     * @description Visible ASCII characters without spaces. Never returned.
                     * @example a-secret-from-the-provider
                     */
                    clientSecret?: string;
                    /**
                     * @description Who may sign in: the id of a Microsoft tenant, `organizations`, `consumers`, or `common` for both.
                     * @example common
                     */
                    microsoftTenant?: string;
                };
            };
        };
        responses: {
            /** @description A provider that people sign in with: Google, Microsoft, GitHub or any OpenID provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    setUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Puts the session token into a cookie instead of the body. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghu_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0",
                 *       "email": "ann@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the printed link after `#token=`: `ghu_` and 70 more characters.
                     * @example ghu_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * Format: password
                     * @description From the tenant’s minimum to 256 characters. Spaces are kept. No kinds of characters are required.
                     * @example correct horse battery staple
                     */
                    password: string;
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string;
                    /**
                     * @description The token of an earlier session on this device, of any user. The new account knows the device by it. Without one, a new token is made. Browsers that use the session cookie have a cookie for this.
                     * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    deviceToken?: string;
                };
            };
        };
        responses: {
            /** @description The user and the new session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    listOrganizationKeys: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Keys with this status. */
                status?: components["parameters"]["status"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Key"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createOrganizationKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly import",
                 *       "scopes": [
                 *         "members:read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the key is for.
                     * @example Nightly import
                     */
                    name: string;
                    /**
                     * @description The permissions of the key.
                     * @example [
                     *       "members:read"
                     *     ]
                     */
                    scopes: string[];
                    /**
                     * Format: date-time
                     * @description Between one hour and 366 days ahead. Null, the default: no end.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description A key and its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
        };
    };
    getOrganizationKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    endOrganizationKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    updateOrganizationKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly import"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the key is for.
                     * @example Nightly import
                     */
                    name?: string;
                    /**
                     * @description Those of the scopes that the key keeps.
                     * @example [
                     *       "members:read"
                     *     ]
                     */
                    scopes?: string[];
                    /**
                     * Format: date-time
                     * @description An earlier end, in the future.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rotateOrganizationKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How long the secret before still works.
                     * @default 86400
                     */
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            /** @description A key and its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Keys with this status. */
                status?: components["parameters"]["status"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Key"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly import",
                 *       "scopes": [
                 *         "members:read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the key is for.
                     * @example Nightly import
                     */
                    name: string;
                    /**
                     * @description The permissions of the key.
                     * @example [
                     *       "members:read"
                     *     ]
                     */
                    scopes: string[];
                    /**
                     * @description An organization of yours, to which the key is limited. It cannot have `organizations:create` and `invitations:answer`, which lead to others.
                     * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    organizationId?: string;
                    /**
                     * Format: date-time
                     * @description Between one hour and 366 days ahead. By default in 90 days.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description A key and its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    endKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    updateKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly import"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the key is for.
                     * @example Nightly import
                     */
                    name?: string;
                    /**
                     * @description Those of the scopes that the key keeps.
                     * @example [
                     *       "members:read"
                     *     ]
                     */
                    scopes?: string[];
                    /**
                     * Format: date-time
                     * @description An earlier end, in the future.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How long the secret before still works.
                     * @default 86400
                     */
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            /** @description A key and its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
        };
    };
    listTenantKeys: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Keys with this status. */
                status?: components["parameters"]["status"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Key"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createTenantKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly import",
                 *       "scopes": [
                 *         "members:read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the key is for.
                     * @example Nightly import
                     */
                    name: string;
                    /**
                     * @description The permissions of the key.
                     * @example [
                     *       "members:read"
                     *     ]
                     */
                    scopes: string[];
                    /**
                     * Format: date-time
                     * @description Between one hour and 366 days ahead. Null, the default: no end.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description A key and its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
        };
    };
    getTenantKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    endTenantKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    updateTenantKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly import"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @description What the key is for.
                     * @example Nightly import
                     */
                    name?: string;
                    /**
                     * @description Those of the scopes that the key keeps.
                     * @example [
                     *       "members:read"
                     *     ]
                     */
                    scopes?: string[];
                    /**
                     * Format: date-time
                     * @description An earlier end, in the future.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rotateTenantKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How long the secret before still works.
                     * @default 86400
                     */
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            /** @description A key and its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
        };
    };
    listUserKeys: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Keys with this status. */
                status?: components["parameters"]["status"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Key"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    endUserKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
                /**
                 * @description The id of a key: `key_` and 26 letters and digits.
                 * @example key_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A key of a person, an organization or the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    listApplications: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Application"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createApplication: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "kind": "server",
                 *       "redirectUris": [
                 *         "https://app.example.com/callback"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Acme
                     */
                    name: string;
                    /**
                     * @description Where it runs. It never changes.
                     * @enum {string}
                     */
                    kind: "server" | "browser" | "native";
                    /** @description Where its people may be sent with a code: https, or http on loopback for development, of a `native` application also a scheme with a dot. They are compared as texts. */
                    redirectUris: string[];
                    /**
                     * Format: https-url
                     * @description Its mark on the sign-in pages.
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * Format: redirect-uri
                     * @description Where it begins a sign-in by itself.
                     * @example https://app.example.com/callback
                     */
                    startUrl?: string | null;
                    /** @description Where its people may be sent after a sign-out, by the same rules. */
                    postLogoutUris?: string[];
                    /**
                     * Format: redirect-uri
                     * @description Where it is told that a session has ended: https, or http on loopback for development.
                     * @example https://app.example.com/callback
                     */
                    backChannelLogoutUri?: string | null;
                    /** @description What it may ask for: `openid`, and others. By default `openid`, `profile` and `email`. */
                    scopes?: ("openid" | "profile" | "email" | "offline_access" | "api")[];
                    /** @description Whether only people with a verified address get in. By default true. */
                    requireVerifiedEmail?: boolean;
                    /** @description Whether its people choose an organization. By default false. */
                    chooseOrganization?: boolean;
                    /** @description Whether pages that are opened from mails lead on to it. True takes it from the other application. */
                    isHome?: boolean;
                    /** @description While it is not, nobody signs in to it, and its grants are refused. */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description An application and its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationWithSecret"];
                };
            };
        };
    };
    getApplication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an application: `app_` and 26 letters and digits.
                 * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                appId: components["parameters"]["appId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An application of the tenant, into which its people sign in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
        };
    };
    deleteApplication: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of an application: `app_` and 26 letters and digits.
                 * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                appId: components["parameters"]["appId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "Acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The name of the application.
                     * @example Acme
                     */
                    confirm: string;
                };
            };
        };
        responses: {
            /** @description Permanently deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateApplication: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of an application: `app_` and 26 letters and digits.
                 * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                appId: components["parameters"]["appId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "server"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Where it runs. It never changes.
                     * @enum {string}
                     */
                    kind?: "server" | "browser" | "native";
                    /**
                     * Format: name
                     * @example Acme
                     */
                    name?: string;
                    /**
                     * Format: https-url
                     * @description Its mark on the sign-in pages.
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * Format: redirect-uri
                     * @description Where it begins a sign-in by itself.
                     * @example https://app.example.com/callback
                     */
                    startUrl?: string | null;
                    /** @description Where its people may be sent with a code: https, or http on loopback for development, of a `native` application also a scheme with a dot. They are compared as texts. */
                    redirectUris?: string[];
                    /** @description Where its people may be sent after a sign-out, by the same rules. */
                    postLogoutUris?: string[];
                    /**
                     * Format: redirect-uri
                     * @description Where it is told that a session has ended: https, or http on loopback for development.
                     * @example https://app.example.com/callback
                     */
                    backChannelLogoutUri?: string | null;
                    /** @description What it may ask for: `openid`, and others. By default `openid`, `profile` and `email`. */
                    scopes?: ("openid" | "profile" | "email" | "offline_access" | "api")[];
                    /** @description Whether only people with a verified address get in. By default true. */
                    requireVerifiedEmail?: boolean;
                    /** @description Whether its people choose an organization. By default false. */
                    chooseOrganization?: boolean;
                    /** @description Whether pages that are opened from mails lead on to it. True takes it from the other application. */
                    isHome?: boolean;
                    /** @description While it is not, nobody signs in to it, and its grants are refused. */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description An application of the tenant, into which its people sign in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
        };
    };
    rotateApplicationSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an application: `app_` and 26 letters and digits.
                 * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                appId: components["parameters"]["appId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How long the secret before still works.
                     * @default 86400
                     */
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            /** @description An application and its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationWithSecret"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: {
                /** @description An ID token of the person who is signed out; it may have expired. */
                id_token_hint?: string;
                /** @description The id of the application; needed without `id_token_hint`. */
                client_id?: string;
                /** @description One of its `postLogoutUris`, as the same text. */
                post_logout_redirect_uri?: string;
                /** @description Comes back with the browser. */
                state?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    endSessionByForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "id_token_hint": "text"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /** @description An ID token of the person who is signed out; it may have expired. */
                    id_token_hint?: string;
                    /** @description The id of the application; needed without `id_token_hint`. */
                    client_id?: string;
                    /** @description One of its `postLogoutUris`, as the same text. */
                    post_logout_redirect_uri?: string;
                    /** @description Comes back with the browser. */
                    state?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: never;
    };
    exchangeCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        /** @description Other parameters are ignored. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "authorization_code"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /**
                     * @description `authorization_code` or `refresh_token`.
                     * @example authorization_code
                     */
                    grant_type: string;
                    /** @description The id of the application; needed unless it comes by HTTP Basic. */
                    client_id?: string;
                    /** @description Its secret, unless it comes by HTTP Basic. */
                    client_secret?: string;
                    /** @description The code, with `authorization_code`. */
                    code?: string;
                    /** @description The one of the authorization request, with `authorization_code`. */
                    redirect_uri?: string;
                    /** @description The verifier of PKCE (RFC 7636), with `authorization_code`: at least 43 random characters. */
                    code_verifier?: string;
                    /** @description The newest refresh token, with `refresh_token`. */
                    refresh_token?: string;
                    /** @description With `refresh_token`: scopes of the grant. The new tokens have all of them. */
                    scope?: string;
                    /**
                     * @description With `refresh_token`: the id or slug of the organization that the ID token is for. The grant does not change.
                     * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    organization?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description What an application holds of somebody’s session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example ght_01k9zq3v5hf8gs4m2y7c6t0wdn.… */
                        access_token: string;
                        /** @enum {string} */
                        token_type: "Bearer";
                        /**
                         * Format: int32
                         * @description Seconds.
                         */
                        expires_in: number;
                        /** @description A JSON Web Token, signed with RS256. */
                        id_token: string;
                        /**
                         * @description With `offline_access`.
                         * @example ghf_01k9zq3v5hf8gs4m2y7c6t0wdn.…
                         */
                        refresh_token?: string;
                        /** @example openid profile email */
                        scope: string;
                    };
                };
            };
        };
    };
    previewAuthorization: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "request": "ghr_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The `request` with which the page was opened.
                     * @example ghr_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                     */
                    request: string;
                };
            };
        };
        responses: {
            /** @description The sign-in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        application: {
                            /**
                             * @description The id of an application: `app_` and 26 letters and digits.
                             * @example app_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /**
                             * Format: https-url
                             * @example https://example.com/logo.png
                             */
                            logoUrl: string | null;
                            /**
                             * @description Where it begins a sign-in by itself.
                             * @example https://app.example.com/callback
                             */
                            startUrl: string | null;
                        };
                        /**
                         * @description The first step that is missing: `sign_in`, or `sign_up` if the application asks for it; `confirm` that it is you; `second_factor`, which the person may have to add first; `verify_email`, by the mailed link; `organization`, to choose one, or to become a member of the named one; `continue`, a click after the page has said who is signed in, and to what. Null: none.
                         * @enum {string|null}
                         */
                        step: "sign_in" | "sign_up" | "confirm" | "second_factor" | "verify_email" | "organization" | "continue" | null;
                        /** @description The one that the request names, by its id or slug. */
                        organization: string | null;
                        /** @example ann@example.com */
                        emailHint: string | null;
                        /**
                         * @description Back to the application, without a sign-in.
                         * @example https://app.example.com/callback?code=…
                         */
                        cancelUrl: string;
                    };
                };
            };
        };
    };
    completeAuthorization: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "request": "ghr_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The `request` with which the page was opened.
                     * @example ghr_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                     */
                    request: string;
                    /**
                     * @description The one that the person has chosen.
                     * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    organizationId?: string;
                    /**
                     * @description Whom the page has shown. If somebody else is signed in by now, the step `continue` is missing.
                     * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    userId?: string;
                };
            };
        };
        responses: {
            /** @description The way back to the application. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Send the browser there: it takes a code to the application.
                         * @example https://app.example.com/callback?code=…
                         */
                        url: string;
                    };
                };
            };
        };
    };
    authorize: {
        parameters: {
            query?: {
                /** @description The id of the application. */
                client_id?: string;
                /** @description One of its redirect URIs, as the same text. */
                redirect_uri?: string;
                /** @description `code`. */
                response_type?: string;
                /** @description `query`, which is also the default. */
                response_mode?: string;
                /** @description `openid`, and others that the application has, separated by spaces. */
                scope?: string;
                /** @description Comes back with the answer. */
                state?: string;
                /** @description Comes back in the ID token. */
                nonce?: string;
                /** @description The S256 challenge of PKCE (RFC 7636). */
                code_challenge?: string;
                /** @description `S256`. */
                code_challenge_method?: string;
                /** @description `none`, or some of `login`, `select_account`, `create`, `consent`. */
                prompt?: string;
                /** @description How many seconds ago the person may have signed in or confirmed it. */
                max_age?: string;
                /** @description With `aal2`, two factors are needed, unless `aal1` comes before it. */
                acr_values?: string;
                /** @description An ID token of the person who is wanted; it may have expired. */
                id_token_hint?: string;
                /** @description An address to begin the sign-in with. */
                login_hint?: string;
                /** @description The id or the slug of an organization, of which the person must be a member. */
                organization?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    authorizeByForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "client_id": "text"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /** @description The id of the application. */
                    client_id?: string;
                    /** @description One of its redirect URIs, as the same text. */
                    redirect_uri?: string;
                    /** @description `code`. */
                    response_type?: string;
                    /** @description `query`, which is also the default. */
                    response_mode?: string;
                    /** @description `openid`, and others that the application has, separated by spaces. */
                    scope?: string;
                    /** @description Comes back with the answer. */
                    state?: string;
                    /** @description Comes back in the ID token. */
                    nonce?: string;
                    /** @description The S256 challenge of PKCE (RFC 7636). */
                    code_challenge?: string;
                    /** @description `S256`. */
                    code_challenge_method?: string;
                    /** @description `none`, or some of `login`, `select_account`, `create`, `consent`. */
                    prompt?: string;
                    /** @description How many seconds ago the person may have signed in or confirmed it. */
                    max_age?: string;
                    /** @description With `aal2`, two factors are needed, unless `aal1` comes before it. */
                    acr_values?: string;
                    /** @description An ID token of the person who is wanted; it may have expired. */
                    id_token_hint?: string;
                    /** @description An address to begin the sign-in with. */
                    login_hint?: string;
                    /** @description The id or the slug of an organization, of which the person must be a member. */
                    organization?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: never;
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        /** @description Other parameters are ignored. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghf_01k9zq3v5hf8gs4m2y7c6t0wdn.…"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /**
                     * @description A refresh token or an access token.
                     * @example ghf_01k9zq3v5hf8gs4m2y7c6t0wdn.…
                     */
                    token: string;
                    /** @description The id of the application; needed unless it comes by HTTP Basic. */
                    client_id?: string;
                    /** @description Its secret, unless it comes by HTTP Basic. */
                    client_secret?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The grant has ended, if there was one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    getUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The claims that the scopes of the grant open. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The id of the user.
                         * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                         */
                        sub: string;
                        /** @example ann@example.com */
                        email?: string;
                        email_verified?: boolean;
                        /** @example Ann */
                        name?: string;
                        /** @example https://example.com/ann.png */
                        picture?: string;
                        /** @example en */
                        locale?: string;
                        /** @example Europe/Berlin */
                        zoneinfo?: string;
                        /**
                         * @description Seconds since 1970.
                         * @example 1769851800
                         */
                        updated_at?: number;
                        /** @description The organization of the grant, while the user is in it. */
                        org?: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                             * @example acme
                             */
                            slug: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** @description The role, every role that it includes, and the roles that are granted. */
                            roles: string[];
                        };
                    };
                };
            };
        };
    };
    postUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        /** @description Ignored. */
        requestBody?: {
            content: {
                /** @example {} */
                "application/x-www-form-urlencoded": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The claims that the scopes of the grant open. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The id of the user.
                         * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                         */
                        sub: string;
                        /** @example ann@example.com */
                        email?: string;
                        email_verified?: boolean;
                        /** @example Ann */
                        name?: string;
                        /** @example https://example.com/ann.png */
                        picture?: string;
                        /** @example en */
                        locale?: string;
                        /** @example Europe/Berlin */
                        zoneinfo?: string;
                        /**
                         * @description Seconds since 1970.
                         * @example 1769851800
                         */
                        updated_at?: number;
                        /** @description The organization of the grant, while the user is in it. */
                        org?: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                             * @example acme
                             */
                            slug: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /** @enum {string} */
                            role: "member" | "admin" | "owner";
                            /** @description The role, every role that it includes, and the roles that are granted. */
                            roles: string[];
                        };
                    };
                };
            };
        };
    };
    getCaller: {
        parameters: {
            query?: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organization?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who sends a request, and what they may do. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Caller"];
                };
            };
        };
    };
    getIssuer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The issuer, and where its keys are; with an application, the rest of OpenID Connect Discovery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuerMetadata"];
                };
            };
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a tenant: `ten_` and 26 letters and digits.
                 * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                tenantId: components["parameters"]["tenantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public keys (RFC 7517). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            /** @enum {string} */
                            kty: "RSA";
                            /** @enum {string} */
                            use: "sig";
                            /** @enum {string} */
                            alg: "RS256";
                            kid: string;
                            n: string;
                            e: string;
                        }[];
                    };
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "organization": "org_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The organization’s id, or its slug.
                     * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    organization?: string;
                    /**
                     * @description One of the tenant’s `tokenAudiences`; without any, the tenant’s id. Default: the first.
                     * @example https://billing.example.com
                     */
                    audience?: string;
                    /** @description Those that the token may have, of which it has what the caller holds in the organization. Default: all that the product has defined. */
                    permissions?: string[];
                };
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A JSON Web Token, signed with RS256. */
                        token: string;
                        /**
                         * Format: date-time
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    verifyCredential: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credential": "ghs_01k9zq3v5hf8gs4m2y7c6t0wdn.…"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: line
                     * @description The text of the credential, as it came.
                     * @example ghs_01k9zq3v5hf8gs4m2y7c6t0wdn.…
                     */
                    credential: string;
                    /**
                     * @description The organization’s id, or its slug.
                     * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    organization?: string;
                    /** @description What the caller must hold in the organization: all of these. */
                    permissions?: string[];
                };
            };
        };
        responses: {
            /** @description The caller, or why the credential is not valid. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the credential lives, and may do all that `permissions` names. */
                        valid: boolean;
                        caller?: components["schemas"]["Caller"];
                        /**
                         * @description Why it is not valid.
                         * @enum {string}
                         */
                        reason?: "unknown" | "ended" | "no_access" | "second_factor_required" | "missing_permission";
                        /** @description The permissions that it lacks, sorted. */
                        missing?: string[];
                    };
                };
            };
        };
    };
    listMails: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Mails to this address.
                 * @example ann@example.com
                 */
                to?: string;
            };
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Mail"][];
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All is well. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All is well. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
}
