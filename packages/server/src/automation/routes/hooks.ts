import { inboundHooksApi } from '@freehold/contract/app/hooks';
import { json } from '../../api/reply.ts';
import type { BodyStream } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serveReply } from '../../api/serve.ts';
import { Problem } from '../../lib/problem.ts';
import type { AutomationRouteDeps, HookCall } from './deps.ts';
import { readHookContent } from './hook-content.ts';

/** Messages of other systems, which hold a secret of the org and no token. */
export function hookRoutes({ hooks, rateLimits, metering }: AutomationRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(inboundHooksApi.receiveHook, async ({ head, params, query: { env }, stream }) => {
      const body = await readMessage(stream);
      const header = (name: string): string | undefined => {
        const value = head.headers[name];
        return typeof value === 'string' ? value : undefined;
      };
      const message = await hooks.recognize({ env, orgCode: params.org, block: params.name, header, body });
      // The sender is known from here on: it is one of the org's callers.
      const call: HookCall = {
        ...{ org: message.orgCode, env, principal: `hook ${message.block}` },
        ...{ builder: undefined, replyHeaders: undefined },
      };
      try {
        rateLimits.take(call);
        metering.meter.count({ orgCode: message.orgCode, env, tenantCode: message.workspace?.tenantCode ?? '' });
        await metering.gate.check(message.orgCode);
        const content = readHookContent({ mediaType: stream?.mediaType ?? '', headers: head.headers, bytes: body });
        return json(202, await hooks.begin(message, content), call.replyHeaders);
      } catch (error) {
        hooks.noteRefused(message, error);
        throw error;
      }
    }),
  ];
}

const bytesMax = 256 * 1024;
const milliseconds = 10_000;

/** The bytes as they came, which are what is signed. @throws Problem `body_too_large`, `request_timeout`, `invalid_request`. */
async function readMessage(stream: BodyStream | undefined): Promise<Buffer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Problem('request_timeout', 'the message took too long to arrive')),
    milliseconds,
  );
  try {
    return await Promise.race([readAll(stream), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(stream: BodyStream | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream?.bytes ?? []) {
    length += chunk.length;
    if (length > bytesMax) throw new Problem('body_too_large', `a message may have at most ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
