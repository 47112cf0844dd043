import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronWords } from './cron-words.ts';

const words: Readonly<Record<string, string>> = {
  '* * * * *': 'Every minute',
  '*/15 * * * *': 'Every 15 minutes',
  '*/7 * * * *': 'At minute 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour',
  '5 * * * *': 'At minute 5 of every hour',
  '30 2 * * *': 'At 02:30',
  '0 9,17 * * *': 'At 09:00 and 17:00',
  '30 2 * * 1-5': 'At 02:30 on Monday to Friday',
  '30 2 * * mon,WED': 'At 02:30 on Monday and Wednesday',
  '0 0 1 * *': 'At 00:00 on day 1 of the month',
  '0 0 1 jan *': 'At 00:00 on day 1 of the month in January',
  '0 6 1,15 * 1': 'At 06:00 on day 1 and 15 of the month and on Monday',
  '0 6 * 1-3 6-7': 'At 06:00 on Saturday and Sunday in January to March',
  '0 */2 * * *': 'At minute 0 of the hour, every 2 hours',
  '*/30 9-17 * * *': 'Every 30 minutes in the hours 09:00 to 17:00',
  '0 6 * * 0-6': 'At 06:00',
  '10/20 3 * * *': 'At 03:10, 03:30 and 03:50',
};

for (const [cron, text] of Object.entries(words)) {
  test(`${cron} is said as “${text}”`, () => assert.equal(cronWords(cron), text));
}

test('what is no pattern has no words', () => {
  for (const none of [
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    'x * * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    '1- * * * *',
  ])
    assert.equal(cronWords(none), undefined, none);
});
