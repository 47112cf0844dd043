import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createPrompt } from './ask.ts';
import { CommandError } from './command-error.ts';

/** A terminal at which a person types this. */
function typing(words: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.write(words);
  const shown = text(output);
  return {
    input,
    output,
    shown: () => {
      output.end();
      return shown;
    },
  };
}

const isRefused = (error: unknown): boolean => error instanceof CommandError && error.exitCode === 3;

test('a question takes yes alone for yes, and the name of the org alone for what destroys', async () => {
  for (const [words, isYes] of [
    ['y\r', true],
    ['YES\r', true],
    ['\r', false],
    ['n\r', false],
    ['yep\r', false],
  ] as const) {
    const answer = createPrompt(undefined, typing(words)).confirm('Change test?');
    await (isYes ? answer : assert.rejects(answer, isRefused, words));
  }
  for (const [words, isYes] of [
    ['acme\r', true],
    ['y\r', false],
    ['acme2\r', false],
    ['\r', false],
  ] as const) {
    const answer = createPrompt('', typing(words)).confirmByName('acme', 'This takes out data.');
    await (isYes ? answer : assert.rejects(answer, isRefused, words));
  }
});

test('Ctrl-C and the end of the input are no', async () => {
  await assert.rejects(createPrompt(undefined, typing('\u0003')).confirm('Change test?'), isRefused);
  const terminal = typing('');
  terminal.input.end();
  await assert.rejects(createPrompt(undefined, terminal).text('Email'), isRefused);
});

test('a password is read as it is typed, and not shown', async () => {
  const terminal = typing('canary pass\r');
  assert.equal(await createPrompt(undefined, terminal).password('Password'), 'canary pass');
  const shown = await terminal.shown();
  assert.ok(shown.includes('Password: ') && !shown.includes('canary'), shown);
});

test('`--yes` answers questions, and only `--yes=<org>` what destroys; without a terminal nothing is asked', async () => {
  await createPrompt('', undefined).confirm('Change test?');
  await createPrompt('acme', undefined).confirm('Change test?');
  await createPrompt('acme', undefined).confirmByName('acme', 'This takes out data.');
  for (const yes of [undefined, '', 'other'])
    await assert.rejects(createPrompt(yes, undefined).confirmByName('acme', 'This takes out data.'), isRefused);
  await assert.rejects(createPrompt(undefined, undefined).confirm('Change test?'), isRefused);
});
