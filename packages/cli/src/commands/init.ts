import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document } from 'yaml';
import { CommandError } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { projectFileName, readProject } from '../project/project-file.ts';

interface InitOptions {
  readonly url?: string;
  readonly org?: string;
  readonly appUrl?: string;
  readonly config: string;
}

export const addInitCommand: AddCommands = (program, run) => {
  program
    .command('init')
    .description('makes freehold.yaml and the folder of the configuration here')
    .option('--url <url>', 'address of the management gateway (default: that of the profile)')
    .option('--org <code>', 'org (default: that of the profile)')
    .option('--app-url <url>', 'address of the app gateway')
    .option('--config <folder>', 'folder of the configuration', 'config')
    .action(run<InitOptions, []>((context, options) => init(context, options)));
};

function init(context: Context, options: InitOptions): undefined {
  const path = join(context.cwd, projectFileName);
  if (existsSync(path))
    throw new CommandError(`${path} is there already`, { code: 'project_exists', next: 'edit it, or remove it first' });
  const { url, org, appUrl } = placeOf(context, options);
  const members = { url, org, ...(appUrl === undefined ? {} : { app_url: appUrl }), config: options.config };
  const document = new Document(members);
  document.commentBefore = ' What the command `freehold` works on. Credentials are kept outside of the project.';
  const text = document.toString();
  const project = readProject(path, text);
  writeFileSync(path, text, { flag: 'wx' });
  mkdirSync(project.config, { recursive: true });
  context.out.result({ path, url, org, config: project.config }, [
    `${path} is made, for ${org} at ${url}`,
    '→ `freehold pull` writes its configuration into files',
  ]);
}

/** As it is given, else as the profile has it. */
function placeOf(context: Context, { url, org, appUrl }: InitOptions) {
  if (url !== undefined && org !== undefined) return { url, org, appUrl };
  const target = context.target();
  return { url: url ?? target.url, org: org ?? target.org, appUrl: appUrl ?? target.appUrl };
}
