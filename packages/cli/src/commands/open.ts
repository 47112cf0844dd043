import { spawn } from 'node:child_process';
import { CommandError } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { environmentOption } from '../frame/environment-option.ts';

interface OpenOptions {
  readonly env: 'test' | 'prod';
  readonly print?: true;
}

/** The screens of the console below an environment. */
const pages = [
  'entities',
  'records',
  'config',
  'deploy',
  'api',
  'users',
  'groups',
  'policies',
  'simulator',
  'decisions',
  'account',
];

/** `open`: the console in a browser. */
export const addOpenCommand: AddCommands = (program, run) => {
  program
    .command('open [page]')
    .description(`opens the console, or a page of it: ${pages.join(', ')}; or records/<entity>`)
    .addOption(environmentOption())
    .option('--print', 'prints the address, and opens no browser')
    .action(run<OpenOptions, [string | undefined]>((context, options, page) => open(context, options, page)));
};

async function open(context: Context, { env, print }: OpenOptions, page: string | undefined): Promise<undefined> {
  const { url, org } = context.target();
  const [first, ...rest] = (page ?? '').split('/').filter((part) => part !== '');
  if (first !== undefined && !pages.includes(first))
    throw new CommandError(`the console has no page \`${first}\``, {
      code: 'wrong_usage',
      next: `use ${pages.join(', ')}`,
    });
  const path = ['o', org, env, ...(first === undefined ? [] : [first, ...rest])].map(encodeURIComponent).join('/');
  const address = `${url}/${path}`;
  const isOpened = print !== true && !context.out.isJson && (await openBrowser(address));
  context.out.result({ url: address }, [address]);
  if (print !== true && !context.out.isJson && !isOpened)
    context.out.note('no browser could be opened: open the address yourself');
}

/** @returns whether a program took the address. It is a word of its own, which no shell reads. */
function openBrowser(address: string): Promise<boolean> {
  const [program, words]: readonly [string, readonly string[]] =
    process.platform === 'darwin'
      ? ['open', [address]]
      : process.platform === 'win32'
        ? ['rundll32', ['url.dll,FileProtocolHandler', address]]
        : ['xdg-open', [address]];
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
