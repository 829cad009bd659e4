/** The variables of libpq (PGHOST, PGSSLMODE, PGOPTIONS and so on), which belong to the shell's other programs. */

/**
 * Removes them from this process and so from those that it starts. The driver reads some of them wherever a connection URL is silent, but
 * not as PostgreSQL documents them: the URL alone says where the database is, and how to reach it.
 */
export function forgetLibpqVariables(): void {
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]/.test(name)) delete process.env[name]
}
