/**
 * An expression of SQL: the time in a column, so much earlier. A cluster takes no column minus an interval in an update, because the length
 * of a day depends on the time zone of the connection.
 *
 * @param interval an expression of SQL, too
 */
export function earlier(column: string, interval: string): string {
  return `(${column} at time zone 'UTC' - ${interval}) at time zone 'UTC'`
}
