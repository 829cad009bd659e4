import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pictureShown } from './picture-url.ts'

const path = `/pictures/ten_01k9zq3v5hf8gs4m2y7c6t0wdn.${'x'.repeat(32)}`

test('uploaded pictures come from the origin of the page, under whatever origin they were uploaded', () => {
  for (const origin of ['http://localhost:3000', 'https://accounts.example.com'])
    for (const remotePictures of [true, false]) assert.equal(pictureShown(origin + path, remotePictures), path)
})

test('pictures of other servers are shown if the tenant shows them', () => {
  for (const url of ['https://example.com/a.png', `https://example.com${path}x`]) {
    assert.equal(pictureShown(url, true), url)
    assert.equal(pictureShown(url, false), null)
  }
  for (const none of [null, '', 'a.png', 'http://example.com/a.png', 'javascript:alert(1)'])
    assert.equal(pictureShown(none, true), null)
})
