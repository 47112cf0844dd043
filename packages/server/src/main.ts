/** Runs the platform in the foreground: reads the settings, opens the listeners, drains on SIGTERM, SIGINT and SIGHUP. */
import { type Command, runCommand } from './command-line.ts';
import { compose, type Platform } from './composition/compose.ts';
import { openConsole } from './composition/console.ts';
import { type Config, helpText, readConfig } from './config.ts';
import { demoTraceId } from './demo/call.ts';
import { showDemo } from './demo/show-demo.ts';
import { drain } from './gateway/drain.ts';
import { type Listener, type ListenOptions, listen } from './gateway/listener.ts';
import { systemClock } from './lib/clock.ts';
import { warnOfApiCopies } from './telemetry/api-copies.ts';
import { type CallLog, createCallLog, createTextCallLog } from './telemetry/call-log.ts';
import { type OpenedLog, openLog } from './telemetry/open-log.ts';
import { watchCalls } from './telemetry/watch-calls.ts';

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
  await run(read.config);
  return undefined;
}

async function run(config: Config): Promise<void> {
  const opened = openLog(config.logLevel, config.logFormat);
  const { log } = opened;
  process.on('exit', opened.flush);
  for (const warning of warnOfApiCopies()) log.warn(warning);
  const die = (error: unknown, why: string): never => {
    log.fatal({ err: error }, why);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => die(error, 'an uncaught error'));
  const managementConsole = openConsole(config, log);
  const platform = await compose({
    config,
    console: managementConsole,
    clock: systemClock,
    onFault: (error, requestId) => log.error({ err: error, request_id: requestId }, 'a request or a job failed'),
    onServer: ({ state, ...said }) => {
      if (state === 'up') log.info(said, 'a server of the store answers again, with safe settings');
      else
        log.error(
          said,
          state === 'down' ? 'a server of the store does not answer' : 'a server of the store may lose writes',
        );
    },
    onFatal: (error) => die(error, 'the store failed: shutting down, so that the next start recovers it'),
  });
  const listeners = await openListeners(platform, config, opened);
  const { app, management, metrics } = listeners;
  managementConsole.openedApp(app?.url);
  if (metrics !== undefined) log.info(`metrics are served at ${metrics.url}/metrics`);
  let isDraining = false;
  onSignal(async (signal) => {
    isDraining = true;
    log.info({ signal }, 'draining');
    platform.startDraining();
    const open = [app, management, metrics].filter((listener) => listener !== undefined);
    await drain(open, drainMilliseconds);
    await platform.close();
    process.exit(0);
  });
  process.stdout.write(`ready app=${app?.url ?? 'off'} management=${management?.url ?? 'off'}\n`);
  const demo = await demoText(platform, config, listeners).catch((error: unknown) => {
    if (!isDraining) log.warn({ err: error }, 'the demo could not be made; the next start goes on with it');
    return '';
  });
  process.stdout.write(demo);
  if (management !== undefined) managementConsole.build();
}

async function demoText(platform: Platform, config: Config, { app, management }: Listeners): Promise<string> {
  if (!config.demo || app === undefined || management === undefined) return '';
  const urls = { app: app.url, management: management.url };
  const { dataDir, console: hasConsole } = config;
  return showDemo({ dataDir, urls, hasConsole, isEmpty: () => platform.isEmpty() });
}

interface Listeners {
  readonly app: Listener | undefined;
  readonly management: Listener | undefined;
  readonly metrics: Listener | undefined;
}

async function openListeners(platform: Platform, config: Config, { log, write }: OpenedLog): Promise<Listeners> {
  const callLog = (name: 'app' | 'management'): CallLog =>
    config.logFormat === 'text' ? createTextCallLog(write) : createCallLog(name, systemClock, write);
  const open = async (name: 'app' | 'management', port: number | undefined, publicUrl: string | undefined) => {
    if (port === undefined) return undefined;
    const logged = config.demo ? withoutDemo(callLog(name)) : callLog(name);
    const watch = watchCalls({
      log: log.isLevelEnabled('info') ? logged : undefined,
      metrics: platform.measurement.calls(name),
    });
    const { host, connectionsPerAddressMax: perAddressMax } = config;
    return openListener(platform, { host, port, gateway: platform[name], watch, perAddressMax }, publicUrl);
  };
  const { metricsListen } = config;
  const app = await open('app', config.appPort, config.publicUrl);
  const management = await open('management', config.managementPort, config.managementUrl);
  if (management !== undefined) platform.managementOrigin.listening(management.url);
  const metrics =
    metricsListen && (await openListener(platform, { ...metricsListen, gateway: platform.metrics }, undefined));
  return { app, management, metrics };
}

/** The demo is made by calls of the platform's own, which would be the first lines that a newcomer sees. */
function withoutDemo(log: CallLog): CallLog {
  return (trace, end) => {
    if (trace.traceId !== demoTraceId) log(trace, end);
  };
}

async function openListener(
  platform: Platform,
  options: Omit<ListenOptions, 'errors'>,
  publicUrl: string | undefined,
): Promise<Listener> {
  let url = publicUrl ?? '';
  const listener = await listen({ ...options, errors: platform.errors(() => url) });
  url = publicUrl ?? listener.url;
  return listener;
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

export const start: Command = {
  failure: 'freehold cannot start',
  outlivesReader: true,
  run: (words) => begin(words).catch(end),
};

if (import.meta.main) runCommand(start);
