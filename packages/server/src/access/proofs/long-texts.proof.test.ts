import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAll } from '../testing/agreement.ts';
import { toRequest } from '../testing/decision-case.ts';
import { Dice } from '../testing/dice.ts';
import { referenceRuling } from '../testing/reference-evaluator.ts';

/** Letters of one and of two units, and halves of such, at the edges of their ranges. */
const letters = [
  'a',
  'a',
  'a',
  'b',
  '/',
  '\u007f',
  '\u0080',
  '\u0081',
  '\uffff',
  '\ud7ff',
  '\ue000',
  '\u{10000}',
  '😀',
  '\u{10ffff}',
  '\ud800',
  '\udbff',
  '\udc00',
  '\udfff',
];

test('agrees with the reference on long texts, however long the runs between wildcards', () => {
  const dice = new Dice(1);
  let allowed = 0;
  for (let number = 0; number < 1000; number++) {
    const some = dice.list(1, 3, () => dice.pick(letters));
    const text = dice.list(200, 500, () => dice.pick(dice.hits(97) ? some : letters)).join('');
    const pattern = randomPattern(dice, text);
    const path = `/${text}`;
    const { context } = toRequest({ context: { record: { f: text } }, decision: 'allowed' });
    for (const policies of [
      [[{ Effect: 'Allow', Action: '*', Resource: `/${pattern}` }]],
      [[{ Effect: 'Allow', Action: '*', Resource: '*', Condition: { StringLike: { 'record.f': pattern } } }]],
    ]) {
      const request = { action: 'getorder', resource: path, context };
      const { outcome } = referenceRuling(policies, request);
      if (outcome === 'allowed') allowed++;
      const decided = compileAll(policies).rule(request.action, request.resource, () => context).outcome;
      if (decided !== outcome)
        assert.fail(`${outcome} by reference, ${decided} by engine: ${JSON.stringify({ policies, path })}`);
    }
  }
  assert.ok(allowed > 200 && allowed < 1800, String(allowed));
});

/** Pieces of the text with stars between them, some letters of which are hidden or changed; 256 letters at most. */
function randomPattern(dice: Dice, text: string): string {
  const points = Array.from(text);
  const pieces = dice.list(1, 4, () => {
    const from = dice.below(points.length);
    return points.slice(from, from + dice.pick([1, 2, 5, 20, 31, 32, 33, 50, 63, 64]));
  });
  const first = dice.hits(50) ? points.slice(0, dice.below(40)) : [];
  const last = dice.hits(50) ? points.slice(points.length - dice.below(40)) : [];
  const changed = [first, ...pieces, last].map((piece) =>
    piece.map((letter) => (dice.hits(6) ? '?' : dice.hits(1) && dice.hits(30) ? dice.pick(letters) : letter)).join(''),
  );
  const sound = Array.from(changed.join('*')).filter((letter) => letter.isWellFormed());
  return sound.slice(0, 255).join('');
}
