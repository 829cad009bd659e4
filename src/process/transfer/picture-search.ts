/** Search for pictures in files, before an import that does not know where the service is: their URLs begin there. */
import { basename } from 'node:path'
import { checkRecords, readRecords, TransferError } from './files.ts'
import type { Files } from './import.ts'
import { pictureColumns } from './pictures.ts'
import { columnsOf } from './rows.ts'

/**
 * Checks that no row of the files has a picture.
 *
 * @throws TransferError if one does, or if a file cannot be read
 */
export async function checkNoPictures(files: Files): Promise<void> {
  for (const kind of ['users', 'organizations'] as const) {
    const path = files[kind]
    if (path === undefined) continue
    await checkRecords(path, columnsOf(kind))
    const column = pictureColumns[kind]
    for await (const { fields, isText } of readRecords(path, columnsOf(kind))) {
      if (!fields) continue
      if (isText && !(column in fields)) break // all rows of CSV have the same columns
      const picture = fields[column] ?? ''
      if (picture !== '')
        throw new TransferError(
          `${basename(path)}: it has pictures, and their URLs begin with the URL of the service, which this command does not know. ` +
            'Set PUBLIC_URL for it as for the service.',
        )
    }
  }
}
