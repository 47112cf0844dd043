import { Fragment as _Fragment, jsx as _jsx, jsxs as _jsxs } from "react/jsx-runtime";
import { useCan, useDelete, useRecord, useSession, useUpdate } from '@freehold/react';
import { useState } from 'react';
import { Comments } from './comments.tsx';
import { EditTicket } from './edit-ticket.tsx';
import { Refusal } from './refusal.tsx';
import { dateOf, StatusBadge, timeOf } from './ticket-parts.tsx';
export function TicketPage({ id }) {
    const ticket = useRecord('ticket', id, { expand: ['customer_id'] });
    // The record as it was when the form opened: a change is based on that state, also if it is read again meanwhile.
    const [edited, setEdited] = useState();
    return (_jsxs(_Fragment, { children: [_jsx("a", { className: "back", href: "#/", children: "\u2190 All tickets" }), _jsx(Refusal, { error: ticket.error }), ticket.isPending && _jsx("p", { className: "empty", children: "Loading\u2026" }), ticket.data !== undefined && (_jsxs("article", { children: [_jsxs("div", { className: "title-row", children: [_jsxs("h1", { tabIndex: -1, children: [_jsxs("span", { className: "muted", children: ["#", ticket.data.number] }), " ", ticket.data.subject] }), _jsx(StatusBadge, { status: ticket.data.status })] }), _jsxs("div", { className: "columns", children: [_jsxs("div", { children: [edited === undefined ? (_jsx(Details, { ticket: ticket.data, onEdit: () => setEdited(ticket.data) })) : (_jsx(EditTicket, { shown: edited, onDone: () => setEdited(undefined) })), _jsx(Comments, { ticket: id })] }), _jsx(Customer, { ticket: ticket.data })] })] }))] }));
}
function Details({ ticket, onEdit }) {
    return (_jsxs("section", { className: "card details", "aria-label": "Details", children: [_jsxs("dl", { children: [_jsx("dt", { children: "Priority" }), _jsx("dd", { children: ticket.priority }), _jsx("dt", { children: "Team" }), _jsx("dd", { children: ticket.team ?? '–' }), _jsx("dt", { children: "Assigned to" }), _jsx("dd", { children: _jsx(Assignee, { ticket: ticket }) }), _jsx("dt", { children: "Opened" }), _jsx("dd", { children: timeOf(ticket.opened_at ?? ticket.created_at) }), _jsx("dt", { children: "Due" }), _jsx("dd", { children: dateOf(ticket.due_at) }), _jsx("dt", { children: "Last change" }), _jsx("dd", { children: timeOf(ticket.updated_at) })] }), _jsx(Actions, { ticket: ticket, onEdit: onEdit })] }));
}
function Assignee({ ticket }) {
    const { session } = useSession();
    if (ticket.assignee_id == null)
        return 'no agent yet';
    return ticket.assignee_id === session?.userId ? 'you' : 'another agent';
}
/** Only what the user may do to this ticket is offered. All four questions are one call. */
function Actions({ ticket, onEdit }) {
    const { session } = useSession();
    const me = session?.userId ?? '';
    const isMine = ticket.assignee_id === me;
    const mayEdit = useCan('update', 'ticket', ticket.id, {}) === true;
    const mayTake = useCan('update', 'ticket', ticket.id, { assignee_id: me }) === true;
    const mayRelease = useCan('update', 'ticket', ticket.id, { assignee_id: null }) === true;
    const mayDelete = useCan('delete', 'ticket', ticket.id) === true;
    const update = useUpdate('ticket', { optimistic: true });
    const removal = useDelete('ticket');
    const assignTo = (assignee_id) => update.mutate({ record: ticket, changes: { assignee_id } });
    const remove = async () => {
        await removal.mutateAsync(ticket).then(() => location.replace('#/'), () => undefined);
    };
    return (_jsxs(_Fragment, { children: [_jsx(Refusal, { error: update.error ?? removal.error }), _jsxs("div", { className: "buttons", children: [mayEdit && (_jsx("button", { type: "button", className: "primary", onClick: onEdit, children: "Edit" })), !isMine && mayTake && (_jsx("button", { type: "button", disabled: update.isPending, onClick: () => assignTo(me), children: "Take" })), isMine && mayRelease && (_jsx("button", { type: "button", disabled: update.isPending, onClick: () => assignTo(null), children: "Hand back" })), mayDelete && _jsx(DeleteButton, { isBusy: removal.isPending, onDelete: () => void remove() })] })] }));
}
/** Asks once more in place. */
function DeleteButton({ isBusy, onDelete }) {
    const [isAsked, setAsked] = useState(false);
    if (!isAsked)
        return (_jsx("button", { type: "button", className: "danger", onClick: () => setAsked(true), children: "Delete" }));
    return (_jsxs(_Fragment, { children: [_jsx("button", { type: "button", className: "danger", disabled: isBusy, onClick: onDelete, children: "Delete for good" }), _jsx("button", { type: "button", onClick: () => setAsked(false), children: "Keep" })] }));
}
function Customer({ ticket }) {
    const customer = ticket.expand?.customer_id;
    if (customer == null)
        return null;
    return (_jsxs("aside", { className: "card", "aria-label": "Customer", children: [_jsx("h2", { children: customer.name }), _jsxs("dl", { children: [_jsx("dt", { children: "Tier" }), _jsx("dd", { children: customer.tier }), _jsx("dt", { children: "Email" }), _jsx("dd", { children: customer.email ?? '–' }), _jsx("dt", { children: "Customer since" }), _jsx("dd", { children: dateOf(customer.since) })] })] }));
}
