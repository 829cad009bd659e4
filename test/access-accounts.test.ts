import { testAccess } from './access.ts'
import { isOfAccounts, rows } from './access-table.ts'

await testAccess(rows.filter(isOfAccounts))
