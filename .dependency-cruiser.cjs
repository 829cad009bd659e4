/** Which file may import which: one way, from the process down to the settings. */

/** The house from the ground up: each storey may import itself and what stands before it. Whatever is named nowhere is a feature. */
const foundation = ['channels.ts', 'config.ts', 'cryptography.ts', 'trace-settings.ts', 'version.ts']
const database = ['database/']
const http = ['http/']
const access = ['access/']
const features = ['[^/]+/']
const app = ['app.ts']

const tests = '[.]test[.]ts$'
const inside = (parts) => `^src/(${parts.join('|').replaceAll('.', '[.]')})`

/** Files of a storey import nothing of ours but what is listed. */
function storey(name, parts, above, ...below) {
  return {
    name,
    severity: 'error',
    comment:
      'Imports point one way: main, serve, commands → app → features → access → http, database → config, cryptography.',
    from: { path: inside(parts), pathNot: [tests, ...(above.length > 0 ? [inside(above)] : [])] },
    to: { path: '^src/', pathNot: inside([...parts, ...below.flat()]) },
  }
}

/** A module that one place alone may import. */
function onlyIn(place, name, path, comment) {
  return {
    name,
    severity: 'error',
    comment,
    from: { path: '^src/', pathNot: [tests, place] },
    to: { path },
  }
}

module.exports = {
  forbidden: [
    { name: 'no-circle', severity: 'error', comment: 'Types count too.', from: {}, to: { circular: true } },
    {
      name: 'found',
      severity: 'error',
      comment: 'An import that leads nowhere.',
      from: {},
      to: { couldNotResolve: true },
    },
    storey('foundation', foundation, []),
    storey('database', database, [], foundation),
    // http/problems.ts names the database's errors, http/server.ts hands the database on.
    storey('http', http, [], database, foundation),
    storey('access', access, [], http, database, foundation),
    storey('features', features, [...database, ...http, ...access], foundation),
    storey('app', app, [], features, foundation),
    {
      name: 'nothing-of-tests',
      severity: 'error',
      comment: 'The service runs without tests, tools and devDependencies.',
      from: { path: '^src/', pathNot: tests },
      to: { path: ['^test/', '^tools/', tests] },
    },
    {
      name: 'no-dev-dependency',
      severity: 'error',
      comment: 'The service is installed without devDependencies.',
      from: { path: '^src/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    onlyIn(
      '^src/database/',
      'driver',
      'node_modules/pg/',
      'The doors of database/database.ts are the only way to data.',
    ),
    onlyIn(
      '^src/cryptography[.]ts$',
      'crypto',
      '^(node:)?crypto$',
      'One file to read for whoever reviews cryptography.',
    ),
    onlyIn(
      '^src/database/embedded-programs[.]ts$',
      'programs',
      '^(node:)?child_process$',
      'No request runs a program.',
    ),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
}
