import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createProgram } from '../frame/program.ts';
import { commandTree } from './command-tree.ts';
import { shellScripts } from './shell-scripts.ts';

const others = [{ name: 'start', says: 'runs the platform' }];
const surroundings = {
  env: {},
  cwd: '/',
  stdin: process.stdin,
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  others,
  launcher: '',
  version: '',
};
const { program } = createProgram(surroundings);
const tree = commandTree(program, others);

/** What bash offers for the last of these words. */
function completedByBash(...words: readonly string[]): readonly string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const request = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _freehold; printf '%s\\n' "\${COMPREPLY[@]}"`;
  // Bash warns of a locale that the machine does not have.
  const bash = ['LC_ALL=C', 'bash', '--norc', '-c'];
  const { stdout, stderr, status } = spawnSync('env', [...bash, `${shellScripts.bash?.(tree)}\n${request}`], {
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

test('every command and every option is in the tree that completions are made from', () => {
  const root = tree.find(({ path }) => path === '/');
  for (const command of program.commands) {
    assert.ok(
      root?.words.some(({ word }) => word === command.name()),
      command.name(),
    );
    const node = tree.find(({ path }) => path === `/${command.name()}`);
    for (const { long } of command.options)
      assert.ok(
        node?.words.some(({ word }) => word === long),
        `${long}`,
      );
  }
});

const isThere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

test('bash completes commands, options and values, also behind options', {
  skip: !isThere('bash') && 'no bash',
}, () => {
  assert.deepEqual(completedByBash('freehold', 'dep'), ['deploy']);
  assert.deepEqual(completedByBash('freehold', 'st'), ['start']);
  assert.deepEqual(completedByBash('freehold', '--json', 'deploy', '--no'), ['--note']);
  assert.deepEqual(completedByBash('freehold', 'completion', ''), [
    ...['bash', 'zsh', 'fish'],
    ...['--profile', '--target', '--json', '--yes', '--help'],
  ]);
  assert.deepEqual(completedByBash('freehold', 'start', '--'), ['--help']);
});

test('fish completes the same', { skip: !isThere('fish') && 'no fish' }, () => {
  const completed = (line: string): readonly string[] => {
    const { stdout } = spawnSync('fish', ['-N', '-c', `${shellScripts.fish?.(tree)}\ncomplete -C '${line}'`], {
      encoding: 'utf8',
    });
    return stdout.split('\n').flatMap((one) => one.split('\t')[0] || []);
  };
  assert.deepEqual(completed('freehold dep'), ['deploy']);
  assert.deepEqual(completed('freehold --json deploy --no'), ['--note']);
});

test('zsh reads its script', { skip: !isThere('zsh') && 'no zsh' }, () => {
  const { status, stderr } = spawnSync('zsh', ['-f', '-n'], {
    input: shellScripts.zsh?.(tree) ?? '',
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, '']);
});
