import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientWords } from './org-sessions.ts';

const known: readonly (readonly [userAgent: string, words: string])[] = [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36',
    'Chrome on Windows',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36 Edg/139.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['freehold-cli', 'command line'],
  ['curl/8.14.1', 'curl'],
  ['node', 'a program on Node'],
];

test('browsers, systems and programs are told in words', () => {
  for (const [userAgent, words] of known) assert.equal(clientWords(userAgent), words, userAgent);
});

test('nothing of what a caller writes there is told', () => {
  for (const userAgent of [undefined, '', 'x', '<img src=x onerror=alert(1)>', 'my freehold-cli', '\u0000'.repeat(9)])
    assert.equal(clientWords(userAgent), undefined, String(userAgent));
  assert.equal(clientWords('<b>Firefox/1.0</b> on <i>Linux</i>'), 'Firefox on Linux');
  assert.equal(clientWords(`${'a'.repeat(600)} Firefox/1.0 Linux`), undefined);
});
