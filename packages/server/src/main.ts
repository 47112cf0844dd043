/** Runs the platform in the foreground: reads the settings, opens the listeners, drains on SIGTERM, SIGINT and SIGHUP. */
import { type CliCommand, runCommand } from './commands/command-line.ts';
import { type ServingPlatform, servePlatform } from './composition/serve-platform.ts';
import { type Config, helpText, readConfig } from './config.ts';
import { showDemo } from './demo/show-demo.ts';
import { descriptorsMax } from './lib/descriptors.ts';
import { openLog } from './telemetry/open-log.ts';
import { tooFewDescriptors } from './telemetry/process-metrics.ts';
import { warnOfApiCopies } from './telemetry/spans.ts';

const drainMilliseconds = 10_000;

async function begin(words: readonly string[]): Promise<number | undefined> {
  if (words.includes('--help')) {
    process.stdout.write(helpText());
    return 0;
  }
  const read = readConfig(process.env, process.stderr.isTTY);
  const mistakes = [
    ...words.map((word) => `there is no option \`${word}\`: see --help`),
    ...('mistakes' in read ? read.mistakes : []),
  ];
  if ('mistakes' in read || mistakes.length > 0) {
    process.stderr.write(`${mistakes.join('\n')}\n`);
    return 2;
  }
  await run(read.config, read.warnings);
  return undefined;
}

async function run(config: Config, warnings: readonly string[]): Promise<void> {
  const opened = openLog(config.logLevel, config.logFormat);
  const { log } = opened;
  process.on('exit', opened.flush);
  for (const warning of [...warnings, ...warnOfApiCopies()]) log.warn(warning);
  const tooFew = config.mode === 'production' ? tooFewDescriptors(descriptorsMax()) : undefined;
  if (tooFew !== undefined) log.warn(tooFew);
  const die = (error: unknown, why: string): never => {
    log.fatal({ err: error }, why);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => die(error, 'an uncaught error'));
  const onFatal = (error: unknown) => die(error, 'the store failed: shutting down, so that the next start recovers it');
  const platform = await servePlatform({ config, opened, onFatal });
  const { app, management, metrics } = platform.urls;
  if (metrics !== undefined) log.info(`metrics are served at ${metrics}/metrics`);
  let isDraining = false;
  onSignal(async (signal) => {
    isDraining = true;
    log.info({ signal }, 'draining');
    await platform.drain(drainMilliseconds);
    process.exit(0);
  });
  process.stdout.write(`ready app=${app ?? 'off'} management=${management ?? 'off'}\n`);
  const demo = await demoText(platform, config).catch((error: unknown) => {
    if (!isDraining) log.warn({ err: error }, 'the demo could not be made; the next start goes on with it');
    return '';
  });
  process.stdout.write(demo);
  platform.buildSites();
}

async function demoText({ urls, isEmpty, consoleState }: ServingPlatform, config: Config): Promise<string> {
  const { app, management } = urls;
  if (!config.demo || app === undefined || management === undefined) return '';
  return showDemo({ dataDir: config.dataDir, urls: { app, management }, consoleState: consoleState(), isEmpty });
}

/** The first signal drains; what comes during the drain changes nothing. */
function onSignal(drain: (signal: NodeJS.Signals) => Promise<void>): void {
  let isDraining = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (isDraining) return;
      isDraining = true;
      void drain(signal);
    });
}

/** What was opened before it failed would keep the process alive. */
function end(error: unknown): never {
  process.stderr.write(`freehold cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

export const start: CliCommand = {
  failure: 'freehold cannot start',
  outlivesReader: true,
  run: (words) => begin(words).catch(end),
};

if (import.meta.main) runCommand(start);
