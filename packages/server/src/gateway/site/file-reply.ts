import { conditional } from '../../api/headers/preconditions.ts';
import type { Reply } from '../../api/reply.ts';
import type { RequestHead } from '../../api/request.ts';
import { codingFor, codings } from '../pipeline/headers/accept-encoding.ts';
import type { SiteFile } from '../site-files.ts';

/** A file whose name changes with its contents, so that a browser never asks again. */
export function keptReply(file: SiteFile, incoming: RequestHead): Reply {
  return codedReply(file, incoming, { 'Cache-Control': 'public, max-age=31536000, immutable' }).reply;
}

/** A file whose name stays: a browser asks each time whether its copy is current. */
export function revalidatedReply(file: SiteFile, incoming: RequestHead, more: Reply['headers'] = {}): Reply {
  const { reply, coding } = codedReply(file, incoming, { ...more, 'Cache-Control': 'no-cache' });
  const ETag = `"${file.digest}${coding === undefined ? '' : `-${coding}`}"`;
  return conditional(incoming, { ...reply, headers: { ...reply.headers, ETag } });
}

function codedReply({ contentType, plain, coded }: SiteFile, incoming: RequestHead, more: Reply['headers']) {
  const available = codings.filter((one) => coded[one] !== undefined);
  const coding = codingFor(incoming, available);
  const headers = {
    ...more,
    Vary: 'Accept-Encoding',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
  };
  const reply: Reply = { status: 200, bytes: (coding && coded[coding]) ?? plain, contentType, headers };
  return { reply, coding };
}
