/** Devices: how their owners see them named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from './device.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

const named = (agents: Readonly<Record<string, readonly [string, string]>>) => {
  for (const [agent, expected] of Object.entries(agents)) {
    const { name, type } = deviceOf(agent)
    assert.deepEqual([name, type], expected, agent)
  }
}

test('a browser is named as its owner knows it', () => {
  named({
    [`Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-S918B) ${webKit} SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36`]:
      ['Samsung Internet on Android', 'mobile'],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/120.0.0.0 Safari/537.36`]: [
      'Chrome on Chrome OS',
      'desktop',
    ],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/120.0.0.0 Safari/537.36 Edg/120.0.2210.91`]: [
      'Microsoft Edge on Windows',
      'desktop',
    ],
    'Mozilla/5.0 (iPad; CPU OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1':
      ['Safari on iOS', 'tablet'],
    'Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0': ['Firefox on Linux', 'desktop'],
    'Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/6.0 TV Safari/537.36': [
      'Tizen',
      'tv',
    ],
  })
})

test('an app is named by its own name, and not by the library that speaks for it', () => {
  named({
    'MyApp/1.2.3 CFNetwork/1410.0.3 Darwin/22.6.0': ['MyApp', 'other'],
    'My%20App/42 CFNetwork/1410.0.3 Darwin/22.6.0': ['My App', 'other'],
    'M%C5%AFj%20kl%C3%AD%C4%8D/7 CFNetwork/1410.0.3 Darwin/22.6.0': ['Můj klíč', 'other'],
    'Guildhall Mobile/3.1 (iPhone; iOS 17.2; Scale/3.00)': ['Guildhall Mobile on iOS', 'mobile'],
    'Acme/5 (com.acme.app; build:12; iOS 17.4.1) Alamofire/5.8.1': ['Acme on iOS', 'mobile'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Acme/1.4.2 Chrome/118.0.5993.159 Electron/27.1.3 Safari/537.36`]:
      ['Acme on Windows', 'desktop'],
    'Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A)': ['Android', 'mobile'],
  })
})

test('an app of Apple’s systems is named as on its icon, in every script and whatever it begins with', () => {
  const apple = 'CFNetwork/1410.0.3 Darwin/22.6.0'
  const names = {
    [`${encodeURIComponent('Мое приложение')}/12`]: 'Мое приложение',
    [`${encodeURIComponent('我的手机银行客')}/1.0`]: '我的手机银行客',
    [`${encodeURIComponent('字'.repeat(80))}/1.0`]: '字'.repeat(60), // longer than other headers are read
    [`${encodeURIComponent(`${'x'.repeat(59)}e\u0301`)}/1`]: 'x'.repeat(59), // an accent is not cut off its letter
    '1Password/8.10': '1Password',
    '9gag/1': '9gag',
    'Foo; Bar/3': 'Foo Bar',
    'Foo (Beta)/1': 'Foo Beta',
    'AC%2FDC/2': 'ACDC',
    '100% Fit/2': '100 Fit',
    'Acme/1.2 (iPhone; Scale/3.00)': 'Acme on iOS',
    'My%20App (unknown version)': 'My App',
    'A%00c%E2%80%AEm%0Ae/1': 'Acme',
  }
  for (const [app, name] of Object.entries(names)) assert.equal(deviceOf(`${app} ${apple}`).name, name, app)
  for (const agent of [`${'e\u0301'.repeat(4)}${'\u0301'.repeat(4000)}/1 ${apple}`, `${'%/ ('.repeat(2000)} ${apple}`])
    assert.ok(deviceOf(agent).name.length <= 60)
})

test('programs are programs', () => {
  named({
    'curl/8.5.0': ['curl', 'other'],
    node: ['node', 'other'],
    'Faraday v2.7.4': ['Faraday', 'other'],
    'python-requests/2.31.0': ['python-requests', 'other'],
    'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.22621.2506': [
      'PowerShell on Windows',
      'other',
    ],
    'Mozilla/5.0 (Macintosh; Darwin 23.2.0 Darwin Kernel Version 23.2.0; en-US) PowerShell/7.4.0': [
      'PowerShell on macOS',
      'other',
    ],
  })
})

test('what says nothing of a device, or is none, is unknown', () => {
  for (const agent of [
    undefined,
    '',
    'Mozilla/5.0',
    '<script>alert(1)</script>',
    '<b>x</b>',
    'x'.repeat(5000),
    '%/1',
    '%E0%A4%A/1',
  ])
    assert.match(deviceOf(agent).name, /^(Unknown device|E0A4A)$/, agent)
})
