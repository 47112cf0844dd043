import { Fragment as _Fragment, jsx as _jsx, jsxs as _jsxs } from "react/jsx-runtime";
/** A page that shows what the hooks give, for tests in a browser. They find the app and the cache in the window. */
import { createApp, VersionConflictError } from '@freehold/client';
import { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { FreeholdProvider, SignIn, useCan, useCount, useCreate, useDelete, useInfiniteList, useList, useRecord, useSession, useUpdate, useWorkspaces, } from '../src/react.tsx';
const query = new URLSearchParams(location.search);
const [url = '', org = '', clientId = ''] = ['url', 'org', 'client'].map((name) => query.get(name) ?? '');
const app = createApp({ url, org, clientId, storage: localStorage });
const cache = new QueryClient();
Object.assign(window, { app, cache });
function Page() {
    const { session } = useSession();
    return (_jsxs(_Fragment, { children: [_jsxs("p", { children: ["user: ", session?.email ?? 'none'] }), query.has('always') || session !== undefined ? (_jsx(Notes, {})) : (_jsx(SignIn, { onProvider: ({ issuer }) => window.tokenOf(issuer), texts: { title: 'Welcome', provider: (name) => `Go to ${name}` } }))] }));
}
function Notes() {
    const notes = useList('note', { sort: 'created_at' }, { keepPrevious: true });
    const pages = useInfiniteList('note', { sort: 'created_at', pageSize: 2 });
    const count = useCount('note');
    const mayCreate = useCan('create', 'note');
    const creation = useCreate('note');
    const { workspaces, current, switchTo, create } = useWorkspaces();
    const paged = pages.data?.pages.flatMap(({ items }) => items) ?? [];
    return (_jsxs(_Fragment, { children: [_jsxs("p", { children: ["workspace: ", current ?? 'none'] }), _jsxs("p", { children: ["workspaces: ", workspaces.data?.map(({ code }) => code).join() ?? 'unknown'] }), _jsxs("p", { children: ["count: ", count.data ?? 'unknown'] }), _jsxs("p", { children: ["may create: ", String(mayCreate)] }), _jsxs("p", { children: ["paged: ", paged.map(({ title }) => title).join()] }), _jsxs("p", { children: ["error: ", notes.error?.name ?? 'none'] }), _jsx("button", { type: "button", onClick: () => void pages.fetchNextPage(), disabled: !pages.hasNextPage, children: "More" }), _jsx("button", { type: "button", onClick: () => creation.mutate({ title: 'made here' }), children: "Create" }), _jsx("button", { type: "button", onClick: () => void create({ name: 'Another', code: 'another' }), children: "Make a workspace" }), _jsx("button", { type: "button", onClick: () => void switchTo('main'), children: "Go to main" }), _jsx("ul", { children: notes.data?.items.map((note) => (_jsx(NoteItem, { note: note }, note.id))) })] }));
}
function NoteItem({ note }) {
    const [base, setBase] = useState();
    const mayUpdate = useCan('update', 'note', note.id);
    const mayDelete = useCan('delete', 'note', note.id);
    const read = useRecord('note', note.id, {}, { enabled: base !== undefined });
    const update = useUpdate('note', { optimistic: true });
    const removal = useDelete('note');
    const title = String(note.title);
    return (_jsxs("li", { children: [_jsx("span", { children: title }), " update:", String(mayUpdate), " delete:", String(mayDelete), " as read:", ' ', String(read.data?.title ?? 'not'), _jsxs("button", { type: "button", onClick: () => setBase(note), children: ["Hold ", title] }), _jsxs("button", { type: "button", onClick: () => update.mutate({ record: base ?? note, changes: { title: `${title}, changed` } }), children: ["Change ", title] }), _jsxs("button", { type: "button", onClick: () => removal.mutate(note), children: ["Delete ", title] }), update.error instanceof VersionConflictError && _jsx("p", { role: "alert", children: "conflict" })] }));
}
const root = document.getElementById('root');
if (root !== null)
    createRoot(root).render(_jsx(FreeholdProvider, { app: app, queryClient: cache, children: _jsx(Page, {}) }));
