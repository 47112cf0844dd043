/** A program of a user of the client libraries: strict, and with mistakes that its compiler must find. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './built-release.ts';

const program = `import { createApp, FreeholdError } from '@freehold/client';
import { createManagement } from '@freehold/client/management';
import { generateTypes } from '@freehold/client/types';
import { useList, useUpdate } from '@freehold/react';
import type { Schema } from './freehold.d.ts';

declare module '@freehold/react' {
  interface Register {
    schema: Schema;
  }
}

const app = createApp<Schema>({ url: 'https://x', org: 'o', clientId: 'c' });
export const subject: Promise<string> = app.entity('ticket').get('1').then((ticket) => ticket.subject);
export const text: string = generateTypes({ entities: [] });
export const code: FreeholdError['code'] = 'version_mismatch';

export function Tickets() {
  const [ticket] = useList('ticket', { where: { status: 'open' } }).data?.items ?? [];
  const update = useUpdate('ticket');
  const close = () => ticket && update.mutate({ record: ticket, changes: { status: 'closed' } });
  return <button onClick={close}>{ticket?.subject}</button>;
}
`;

/** Each line has one mistake. */
const mistakes = [
  `createApp({ urll: 'https://x', org: 'o', clientId: 'c' });`,
  `app.entity('ticket').get('1').then((ticket) => ticket.subjectt);`,
  `app.entity('tickt');`,
  `createManagement({ url: 'https://x' }).call('listEntitie');`,
  `createManagement({ url: 'https://x' }).call('listEntities').then(({ items }) => items[0]?.nam);`,
  `export const useSubjects = () => useList('ticket').data?.items.map((ticket) => ticket.subjectt);`,
  `export const useColours = () => useList('ticket', { where: { colour: 'red' } });`,
  `export const useOthers = () => useList('tickt');`,
];

const resolutions = { nodenext: 'nodenext', bundler: 'esnext' };
export type Resolution = keyof typeof resolutions;

export interface Findings {
  /** What the compiler says of the program without a mistake. */
  readonly ofProgram: string;
  /** The mistakes that it does not find. */
  readonly missed: readonly string[];
}

/** Compiles the program in a folder where the libraries are installed. */
export function findingsIn(folder: string, moduleResolution: Resolution): Findings {
  const text = `${program}${mistakes.join('\n')}\n`;
  copyFileSync(join(root, 'examples', 'helpdesk', 'src', 'freehold.d.ts'), join(folder, 'freehold.d.ts'));
  writeFileSync(join(folder, 'program.tsx'), text);
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    jsx: 'react-jsx',
    target: 'es2022',
    lib: ['es2024', 'dom'],
    types: [],
    module: resolutions[moduleResolution],
    moduleResolution,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.tsx'] }));
  const compiler = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
  const at = lines.map((line) => ({ line, number: Number(/program\.tsx\((\d+),/.exec(line)?.[1] ?? 0) }));
  const first = program.split('\n').length;
  return {
    ofProgram: at
      .filter(({ number }) => number < first)
      .map(({ line }) => line)
      .join('\n'),
    // A type that is `any` has errors of its own (TS7006 and others), which name no mistake.
    missed: mistakes.filter(
      (_, index) => !at.some(({ line, number }) => number === first + index && !/ TS70/.test(line)),
    ),
  };
}
