/** Opens the listeners of a platform that is composed. */
import type { Config } from '../config.ts';
import { demoTraceId } from '../demo/sign-in.ts';
import { unwatched } from '../gateway/call-trace.ts';
import { type Listener, type ListenOptions, listen } from '../gateway/listener.ts';
import { systemClock } from '../lib/clock.ts';
import type { OpenedLog } from '../telemetry/open-log.ts';
import { warnOfDescriptors } from '../telemetry/process-metrics.ts';
import { type CallLog, createCallLog, createTextCallLog, watchCalls } from '../telemetry/watch-calls.ts';
import type { Platform } from './compose.ts';

export interface Listeners {
  readonly app: Listener | undefined;
  readonly management: Listener | undefined;
  readonly metrics: Listener | undefined;
}

/** @throws Error with a sentence for the operator, such as that a port is taken. */
export async function openListeners(platform: Platform, config: Config, { log, write }: OpenedLog): Promise<Listeners> {
  const descriptors = warnOfDescriptors(log, systemClock);
  const callLog = (name: 'app' | 'management'): CallLog =>
    config.logFormat === 'text' ? createTextCallLog(write) : createCallLog(name, systemClock, write);
  const limits = { keepAliveTimeout: config.keepAlive * 1000 };
  const open = async (name: 'app' | 'management', port: number | undefined, publicUrl: string | undefined) => {
    if (port === undefined) return undefined;
    const logged = config.demo ? withoutDemo(callLog(name)) : callLog(name);
    const watch = watchCalls({
      log: log.isLevelEnabled('info') ? logged : undefined,
      metrics: platform.measurement.calls(name),
      errors: platform.measurement.errors.callsOf(name),
    });
    const { host, connectionsPerAddressMax: perAddressMax } = config;
    const refused: typeof watch.refused = (code) => {
      watch.refused(code);
      descriptors.refused(code);
    };
    const options = { host, port, gateway: platform[name], watch: { ...watch, refused }, perAddressMax, limits };
    return openListener(platform, options, publicUrl);
  };
  const { metricsListen } = config;
  const app = await open('app', config.appPort, config.publicUrl);
  const management = await open('management', config.managementPort, config.managementUrl);
  if (management !== undefined)
    for (const page of [platform.managementOrigin, platform.upgradePage]) page.listening(management.url);
  const watch = { ...unwatched, ...platform.measurement.errors.callsOf('metrics'), ...descriptors };
  const probed = { gateway: platform.metrics, watch, limits };
  const metrics = metricsListen && (await openListener(platform, { ...metricsListen, ...probed }, undefined));
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
