/** The columns of a log as CSV. */
import type { Column } from '../../platform/http/csv.ts'
import type { AuditEntry } from './entries.ts'

export const entryColumns: readonly Column<AuditEntry>[] = [
  ['Id', ({ id }) => id],
  ['Occurred at', ({ occurredAt }) => occurredAt],
  ['Action', ({ action }) => action],
  ['Actor type', ({ actor }) => actor.type],
  ['Actor id', ({ actor }) => actor.id],
  ['Actor name', ({ actor }) => actor.name],
  ['Via id', ({ via }) => via?.id],
  ['Via name', ({ via }) => via?.name],
  ['Application id', ({ application }) => application?.id],
  ['Application name', ({ application }) => application?.name],
  ['Target type', ({ target }) => target.type],
  ['Target id', ({ target }) => target.id],
  ['Target name', ({ target }) => target.name],
  ['Organization id', ({ organizationId }) => organizationId],
  ['IP', ({ ip }) => ip],
  ['Device', ({ device }) => device],
  ['Request id', ({ requestId }) => requestId],
  ['Details', ({ details }) => details && JSON.stringify(details)],
]
