import { selfApi } from '@freehold/contract/app/self';
import type { AnyRoute } from '../../api/route.ts';
import { serveReply } from '../../api/serve.ts';
import { notFound } from '../../lib/problem.ts';
import type { DocsSource } from '../site-source.ts';
import { appPageReply } from './docs-reply.ts';
import { keptReply } from './file-reply.ts';

interface DocsRouteDeps {
  readonly docs: DocsSource;
}

/** The page about an app's own API. It holds nothing of any app: it asks for the document as its visitor. */
export function docsRoutes({ docs }: DocsRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(selfApi.readDocs, () => {
      const reply = appPageReply(docs);
      if (reply === undefined) throw notFound();
      return reply;
    }),
    serveReply(selfApi.readDocsFile, ({ params, head }) => {
      const state = docs.current();
      const file = state.is === 'built' ? state.files.get(`/assets/${params.name}`) : undefined;
      if (file === undefined) throw notFound();
      return keptReply(file, head);
    }),
  ];
}
