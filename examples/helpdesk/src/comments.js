import { Fragment as _Fragment, jsx as _jsx, jsxs as _jsxs } from "react/jsx-runtime";
import { useCan, useCreate, useInfiniteList, useSession } from '@freehold/react';
import { useState } from 'react';
import { Refusal } from './refusal.tsx';
import { timeOf } from './ticket-parts.tsx';
/** Comments stay among agents: requesters see none, and are not asked for any. */
export function Comments({ ticket }) {
    const mayRead = useCan('list', 'comment') === true;
    const mayWrite = useCan('create', 'comment', undefined, { ticket_id: ticket, body: 'text' }) === true;
    if (!(mayRead || mayWrite))
        return null;
    return (_jsxs("section", { className: "comments", "aria-labelledby": "comments", children: [_jsx("h2", { id: "comments", children: "Comments" }), mayWrite && _jsx(CommentForm, { ticket: ticket }), mayRead && _jsx(CommentList, { ticket: ticket })] }));
}
function CommentList({ ticket }) {
    const { session } = useSession();
    const comments = useInfiniteList('comment', { where: { ticket_id: ticket }, pageSize: 10 });
    const shown = comments.data?.pages.flatMap(({ items }) => items) ?? [];
    return (_jsxs(_Fragment, { children: [_jsx(Refusal, { error: comments.error }), comments.isSuccess && shown.length === 0 && _jsx("p", { className: "empty", children: "No comment yet." }), _jsx("ol", { children: shown.map(({ id, body, created_at, created_by }) => (_jsxs("li", { className: "card comment", children: [_jsxs("p", { className: "muted", children: [created_by === session?.userId ? 'You' : 'A colleague', ", ", timeOf(created_at)] }), _jsx("p", { className: "text", children: body })] }, id))) }), comments.hasNextPage && (_jsx("button", { type: "button", disabled: comments.isFetchingNextPage, onClick: () => void comments.fetchNextPage(), children: "Earlier comments" }))] }));
}
function CommentForm({ ticket }) {
    const [body, setBody] = useState('');
    const creation = useCreate('comment');
    const submit = async (event) => {
        event.preventDefault();
        await creation.mutateAsync({ ticket_id: ticket, body }).then(() => setBody(''), () => undefined);
    };
    return (_jsxs("form", { className: "card form", onSubmit: (event) => void submit(event), children: [_jsxs("label", { children: ["Add a comment", _jsx("textarea", { required: true, rows: 3, value: body, onChange: (event) => setBody(event.target.value) })] }), _jsx(Refusal, { error: creation.error }), _jsx("div", { className: "buttons", children: _jsx("button", { type: "submit", disabled: creation.isPending, children: "Comment" }) })] }));
}
