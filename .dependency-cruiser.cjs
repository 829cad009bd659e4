/** Which file may import which: downwards through the storeys, and in `features/` never from one room into another. */

const tests = '[.]test[.]ts$'

/** Files under `from` import nothing under `to`. */
function never(name, from, to, comment) {
  return { name, severity: 'error', comment, from: { path: from, pathNot: tests }, to: { path: to, pathNot: tests } }
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
    never(
      'platform',
      '^src/platform/',
      '^src/(?!platform/)',
      'Platform would serve another product as well: it knows nothing of this one.',
    ),
    never('domain', '^src/domain/', '^src/(?!(domain|platform)/)', 'What rooms share knows no room, and no process.'),
    never('features', '^src/features/', '^src/(?!(features|domain|platform)/)', 'A room does not know what runs it.'),
    {
      name: 'tests-of-platform',
      severity: 'error',
      comment: 'What a test needs of a storey above it gets from its world, or the test belongs into test/.',
      from: { path: `^src/platform/.*${tests}` },
      to: { path: '^src/(domain|features|process)/' },
    },
    {
      name: 'tests-of-domain',
      severity: 'error',
      comment: 'As for those of platform.',
      from: { path: `^src/domain/.*${tests}` },
      to: { path: '^src/(features|process)/' },
    },
    {
      name: 'rooms',
      severity: 'error',
      comment: 'What two rooms need is domain.',
      from: { path: '^src/features/([^/]+)/', pathNot: tests },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
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
      '^src/platform/database/',
      'driver',
      'node_modules/pg/',
      'The doors of database/database.ts are the only way to data.',
    ),
    onlyIn(
      '^src/platform/cryptography[.]ts$',
      'crypto',
      '^(node:)?crypto$',
      'One file to read for whoever reviews cryptography.',
    ),
    onlyIn(
      '^src/platform/database/embedded-programs[.]ts$',
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
