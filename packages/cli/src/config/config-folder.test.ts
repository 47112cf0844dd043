import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CommandError } from '../frame/command-error.ts';
import { listFolder, readEntry } from './config-folder.ts';

interface Folder {
  readonly root: string;
  readonly outside: string;
  /** A file outside of the folder. */
  readonly secret: string;
}

function folder(context: TestContext): Folder {
  const base = mkdtempSync(join(tmpdir(), 'freehold-folder-'));
  context.after(() => rmSync(base, { recursive: true, force: true }));
  const [root, outside] = [join(base, 'config'), join(base, 'outside')];
  for (const path of [join(root, 'entity'), outside]) mkdirSync(path, { recursive: true });
  writeFileSync(join(root, 'entity', 'ticket.yaml'), 'a: 1\n');
  const secret = join(outside, 'ticket.yaml');
  writeFileSync(secret, 'canary: 1\n');
  return { root, outside, secret };
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof CommandError, String(error));
    return [error.message, ...(error.details.lines ?? [])].join('\n');
  }
  return assert.fail('nothing was refused');
}

test('Q03: a link, a hard link, a loop and a pipe are refused by name, all at once', (context) => {
  const { root, outside, secret } = folder(context);
  symlinkSync(secret, join(root, 'entity', 'linked.yaml'));
  linkSync(secret, join(root, 'entity', 'hard.yaml'));
  symlinkSync(outside, join(root, 'event'));
  symlinkSync('..', join(root, 'entity', 'loop'));
  execFileSync('mkfifo', [join(root, 'entity', 'pipe.yaml')]);
  const message = refusal(() => listFolder(root));
  for (const line of [
    /`entity\/linked.yaml` is a symbolic link/,
    /`entity\/hard.yaml` has another name elsewhere/,
    /`event` is a symbolic link/,
    /`entity\/loop` is a symbolic link/,
    /`entity\/pipe.yaml` is a pipe/,
  ])
    assert.match(message, line);
});

test('Q03: the folder itself may be no link', (context) => {
  const { root, outside } = folder(context);
  rmSync(root, { recursive: true });
  symlinkSync(outside, root);
  assert.match(
    refusal(() => listFolder(root)),
    /is a symbolic link, and no folder/,
  );
});

test('Q03: a file or a folder that is replaced between the look and the reading is refused', (context) => {
  const replacements: Readonly<Record<string, (folder: Folder) => void>> = {
    'by a link': ({ root, secret }) => {
      rmSync(join(root, 'entity', 'ticket.yaml'));
      symlinkSync(secret, join(root, 'entity', 'ticket.yaml'));
    },
    'by another file': ({ root, secret }) => renameSync(secret, join(root, 'entity', 'ticket.yaml')),
    'by a hard link': ({ root, secret }) => {
      rmSync(join(root, 'entity', 'ticket.yaml'));
      linkSync(secret, join(root, 'entity', 'ticket.yaml'));
    },
    'by a pipe': ({ root }) => {
      rmSync(join(root, 'entity', 'ticket.yaml'));
      execFileSync('mkfifo', [join(root, 'entity', 'ticket.yaml')]);
    },
    'its folder by a link': ({ root, outside }) => {
      rmSync(join(root, 'entity'), { recursive: true });
      symlinkSync(outside, join(root, 'entity'));
    },
    'its folder by another one': ({ root, outside }) => {
      rmSync(join(root, 'entity'), { recursive: true });
      renameSync(outside, join(root, 'entity'));
    },
    'by a second name of the same file': ({ root, outside }) =>
      linkSync(join(root, 'entity', 'ticket.yaml'), join(outside, 'twin')),
  };
  for (const [how, replace] of Object.entries(replacements)) {
    const made = folder(context);
    const [entry] = listFolder(made.root);
    assert.ok(entry);
    assert.equal(readEntry(made.root, entry).toString(), 'a: 1\n');
    replace(made);
    assert.match(
      refusal(() => readEntry(made.root, entry)),
      /`entity\/ticket.yaml` was replaced/,
      how,
    );
  }
});

test('names that are files of other items on some systems, and files that are no items, are named', (context) => {
  const { root } = folder(context);
  for (const name of ['Ticket.yaml', 'ticket.json', 'a\\b.yaml', 'notes.md', 'ünit.yaml', 'ticket.yaml~', 'x..yaml'])
    writeFileSync(join(root, 'entity', name), '{}');
  writeFileSync(join(root, 'entity', '.DS_Store'), '');
  writeFileSync(join(root, 'stray.yaml'), '');
  const message = refusal(() => listFolder(root));
  for (const name of ['Ticket.yaml', 'a\\b.yaml', 'notes.md', 'ünit.yaml', 'ticket.yaml~', 'x..yaml', 'stray.yaml'])
    assert.ok(message.includes(name), `${name}\n${message}`);
  assert.match(message, /`entity\/ticket.json` and `entity\/ticket.yaml` are one item/);
  assert.ok(!message.includes('DS_Store'));
});

test('a folder that is not there has no files', (context) => {
  assert.deepEqual(listFolder(join(folder(context).root, 'none')), []);
});
