import { jsx as _jsx, jsxs as _jsxs } from "react/jsx-runtime";
import { VersionConflictError } from '@freehold/client';
import { useApp, useCan, useUpdate } from '@freehold/react';
import { useState } from 'react';
import { Conflict, draftOf, mergeOf } from './conflict.tsx';
import { Refusal } from './refusal.tsx';
import { priorities, statuses } from './ticket-parts.tsx';
/** Sends the fields that the user has changed, and asks the user where another tab or colleague has been faster. */
export function EditTicket({ shown, onDone }) {
    const app = useApp();
    const update = useUpdate('ticket');
    const [base, setBase] = useState(shown);
    const [draft, setDraft] = useState(() => draftOf(shown));
    const [current, setCurrent] = useState();
    const isConflict = update.error instanceof VersionConflictError;
    const save = async (wanted, on) => {
        const changes = changesOf(wanted, on);
        if (Object.keys(changes).length === 0)
            return onDone();
        await update.mutateAsync({ record: on, changes }).then(onDone, async (error) => {
            if (error instanceof VersionConflictError)
                setCurrent((await app
                    .entity('ticket')
                    .get(shown.id)
                    .catch(() => undefined)));
        });
    };
    if (current !== undefined)
        return (_jsx(Conflict, { shown: base, mine: draft, current: current, isBusy: update.isPending, onCancel: onDone, onChosen: (chosen) => {
                setBase(current);
                setDraft(chosen);
                setCurrent(undefined);
                void save(chosen, current);
            } }));
    return (_jsx(TicketForm, { id: shown.id, draft: draft, error: isConflict ? null : update.error, isBusy: update.isPending, onChange: setDraft, onCancel: onDone, onSubmit: () => void save(draft, base) }));
}
function changesOf(draft, base) {
    return mergeOf(draftOf(base), draft);
}
/** A field that the user may not change is shown and cannot be edited. */
function TicketForm({ id, draft, error, isBusy, onChange, onCancel, onSubmit }) {
    const maySubject = useCan('update', 'ticket', id, { subject: 'another subject' }) === true;
    const mayStatus = useCan('update', 'ticket', id, { status: 'waiting' }) === true;
    const mayPriority = useCan('update', 'ticket', id, { priority: 1 }) === true;
    const submit = (event) => {
        event.preventDefault();
        onSubmit();
    };
    return (_jsxs("form", { className: "card form", "aria-label": "Edit ticket", onSubmit: submit, children: [_jsxs("label", { children: ["Subject", _jsx("input", { required: true, maxLength: 120, value: draft.subject, disabled: !maySubject, onChange: (event) => onChange({ ...draft, subject: event.target.value }) })] }), _jsxs("label", { children: ["Status", _jsx("select", { value: draft.status, disabled: !mayStatus, onChange: (event) => onChange({ ...draft, status: event.target.value }), children: statuses.map((status) => (_jsx("option", { children: status }, status))) })] }), _jsxs("label", { children: ["Priority", _jsx("select", { value: draft.priority, disabled: !mayPriority, onChange: (event) => onChange({ ...draft, priority: Number(event.target.value) }), children: priorities.map((priority) => (_jsx("option", { children: priority }, priority))) })] }), _jsx(Refusal, { error: error }), _jsxs("div", { className: "buttons", children: [_jsx("button", { type: "submit", className: "primary", disabled: isBusy, children: "Save" }), _jsx("button", { type: "button", onClick: onCancel, children: "Cancel" })] })] }));
}
