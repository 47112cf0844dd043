/** A page that shows what the hooks give, for tests in a browser. They find the app and the cache in the window. */
import { createApp, VersionConflictError } from '@freehold/client';
import { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  FreeholdProvider,
  type RecordOf,
  SignIn,
  useCan,
  useCount,
  useCreate,
  useDelete,
  useInfiniteList,
  useList,
  useRecord,
  useSession,
  useUpdate,
  useWorkspaces,
} from '../src/react.tsx';

declare global {
  interface Window {
    /** Given by the test: the person signs in at the provider. */
    readonly tokenOf: (issuer: string) => Promise<string>;
  }
}

type Note = RecordOf<'note'>;

const query = new URLSearchParams(location.search);
const [url = '', org = '', clientId = ''] = ['url', 'org', 'client'].map((name) => query.get(name) ?? '');
const app = createApp({ url, org, clientId, storage: localStorage });
const cache = new QueryClient();
Object.assign(window, { app, cache });

function Page() {
  const { session } = useSession();
  return (
    <>
      <p>user: {session?.email ?? 'none'}</p>
      {query.has('always') || session !== undefined ? (
        <Notes />
      ) : (
        <SignIn
          onProvider={({ issuer }) => window.tokenOf(issuer)}
          texts={{ title: 'Welcome', provider: (name) => `Go to ${name}` }}
        />
      )}
    </>
  );
}

function Notes() {
  const notes = useList('note', { sort: 'created_at' }, { keepPrevious: true });
  const pages = useInfiniteList('note', { sort: 'created_at', pageSize: 2 });
  const count = useCount('note');
  const mayCreate = useCan('create', 'note');
  const creation = useCreate('note');
  const { workspaces, current, switchTo, create } = useWorkspaces();
  const paged = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <p>workspace: {current ?? 'none'}</p>
      <p>workspaces: {workspaces.data?.map(({ code }) => code).join() ?? 'unknown'}</p>
      <p>count: {count.data ?? 'unknown'}</p>
      <p>may create: {String(mayCreate)}</p>
      <p>paged: {paged.map(({ title }) => title).join()}</p>
      <p>error: {notes.error?.name ?? 'none'}</p>
      <button type="button" onClick={() => void pages.fetchNextPage()} disabled={!pages.hasNextPage}>
        More
      </button>
      <button type="button" onClick={() => creation.mutate({ title: 'made here' })}>
        Create
      </button>
      <button type="button" onClick={() => void create({ name: 'Another', code: 'another' })}>
        Make a workspace
      </button>
      <button type="button" onClick={() => void switchTo('main')}>
        Go to main
      </button>
      <ul>
        {notes.data?.items.map((note) => (
          <NoteItem key={note.id} note={note} />
        ))}
      </ul>
    </>
  );
}

function NoteItem({ note }: { readonly note: Note }) {
  const [base, setBase] = useState<Note>();
  const mayUpdate = useCan('update', 'note', note.id);
  const mayDelete = useCan('delete', 'note', note.id);
  const read = useRecord('note', note.id, {}, { enabled: base !== undefined });
  const update = useUpdate('note', { optimistic: true });
  const removal = useDelete('note');
  const title = String(note.title);
  return (
    <li>
      <span>{title}</span> version:{note.version} update:{String(mayUpdate)} delete:{String(mayDelete)} as read:{' '}
      {String(read.data?.title ?? 'not')}
      <button type="button" onClick={() => setBase(note)}>
        Hold {title}
      </button>
      <button
        type="button"
        onClick={() => update.mutate({ record: base ?? note, changes: { title: `${title}, changed` } })}
      >
        Change {title}
      </button>
      <button type="button" onClick={() => removal.mutate(note)}>
        Delete {title}
      </button>
      {update.error instanceof VersionConflictError && <p role="alert">conflict</p>}
    </li>
  );
}

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <FreeholdProvider app={app} queryClient={cache}>
      <Page />
    </FreeholdProvider>,
  );
