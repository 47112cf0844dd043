import { ProxyTracerProvider } from '@opentelemetry/api';
import { isTraced } from './spans.ts';

/** Where every copy of the API package keeps what an SDK has registered with it: one place for each major version. */
const place = /^opentelemetry\.js\.api\.\d+$/;

/**
 * What is to be said where an SDK has registered with another copy of `@opentelemetry/api` than the platform's. A copy
 * sees registrations with an equal or newer one of its major version, and not with an older one.
 */
export function warnOfApiCopies(): readonly string[] {
  return Object.getOwnPropertySymbols(globalThis)
    .filter((symbol) => place.test(symbol.description ?? ''))
    .map((symbol) => Object.entries(Reflect.get(globalThis, symbol) ?? {}))
    .flatMap((members) => {
      const { version, trace } = Object.fromEntries(members);
      if (trace === undefined || trace instanceof ProxyTracerProvider) return [];
      const what = isTraced() ? told : lost;
      return [`the OpenTelemetry SDK came with another copy of \`@opentelemetry/api\` (${version}): ${what}`];
    });
}

const told = 'spans of the platform reach it, since that copy is not the older one';
const lost =
  'no span of the platform reaches it. Install an SDK in the folder of the platform, where both share one copy, or one with a newer copy';
