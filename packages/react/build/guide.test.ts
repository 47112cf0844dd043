/** The examples of `docs/react.md`, which are one module. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

const root = join(import.meta.dirname, '..', '..', '..');
// Below the root, so that it finds the packages.
const folder = join(root, 'node_modules', '.cache', `react-guide-${process.pid}`);
after(() => rmSync(folder, { recursive: true, force: true }));

function typeErrors(source: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'guide.tsx'), source);
  copyFileSync(join(root, 'examples', 'helpdesk', 'src', 'freehold.d.ts'), join(folder, 'freehold.d.ts'));
  const project = join(folder, 'tsconfig.json');
  const settings = { extends: join(root, 'packages', 'react', 'tsconfig.json'), include: [], files: ['guide.tsx'] };
  writeFileSync(project, JSON.stringify(settings));
  const compiler = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
  return spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' }).stdout;
}

const page = readFileSync(join(root, 'docs', 'react.md'), 'utf8');
const examples = [...page.matchAll(/^```tsx\n(.*?)^```$/gms)].map(([, code = '']) => code);

test('the examples of the guide compile, with the types of the help desk', () => {
  assert.ok(examples.length >= 6);
  assert.equal(typeErrors(examples.join('\n')), '');
});

test('a name that no definition has does not compile', () => {
  const wrong = `${examples[0]}
export const useWrong = () => [useList('tickt'), useList('ticket', { where: { colour: 'red' } }), useCan('fly', 'ticket')];
`;
  const errors = typeErrors(wrong);
  for (const word of ['tickt', 'colour', 'fly']) assert.match(errors, new RegExp(word));
});
