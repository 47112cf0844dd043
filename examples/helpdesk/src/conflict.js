import { jsx as _jsx, jsxs as _jsxs } from "react/jsx-runtime";
import { useState } from 'react';
const labels = { subject: 'Subject', status: 'Status', priority: 'Priority' };
const fields = Object.keys(labels);
export function draftOf({ subject, status, priority }) {
    return { subject, status: status ?? 'open', priority };
}
/** The members in which the second draft differs from the first. */
export function mergeOf(before, after) {
    return Object.fromEntries(fields.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]));
}
/**
 * Shows what has changed since the form opened. A field that one side alone has changed keeps that change; where both
 * have, the user chooses.
 */
export function Conflict({ shown, mine, current, isBusy, onChosen, onCancel }) {
    const before = draftOf(shown);
    const theirs = draftOf(current);
    const changed = fields.filter((name) => before[name] !== theirs[name] || before[name] !== mine[name]);
    const [takesTheirs, setTakesTheirs] = useState(() => new Set(fields.filter((name) => mine[name] === before[name])));
    const choose = (name, isTheirs) => {
        const chosen = new Set(takesTheirs);
        if (isTheirs)
            chosen.add(name);
        else
            chosen.delete(name);
        setTakesTheirs(chosen);
    };
    const save = () => onChosen({
        subject: takesTheirs.has('subject') ? theirs.subject : mine.subject,
        status: takesTheirs.has('status') ? theirs.status : mine.status,
        priority: takesTheirs.has('priority') ? theirs.priority : mine.priority,
    });
    return (_jsxs("section", { className: "card conflict", role: "alert", "aria-labelledby": "conflict", children: [_jsx("h2", { id: "conflict", children: "This ticket has changed meanwhile" }), _jsx("p", { children: "Someone saved it while you were editing. Nothing of yours is lost: choose what to keep." }), changed.map((name) => (_jsxs("fieldset", { children: [_jsx("legend", { children: labels[name] }), _jsxs("p", { className: "muted", children: ["It was \u201C", before[name], "\u201D when you opened the form."] }), _jsxs("label", { children: [_jsx("input", { type: "radio", checked: !takesTheirs.has(name), onChange: () => choose(name, false) }), "Yours: ", mine[name]] }), _jsxs("label", { children: [_jsx("input", { type: "radio", checked: takesTheirs.has(name), onChange: () => choose(name, true) }), "Saved: ", theirs[name]] })] }, name))), changed.length === 0 && _jsx("p", { children: "The change concerns other fields than those of this form." }), _jsxs("div", { className: "buttons", children: [_jsx("button", { type: "button", className: "primary", disabled: isBusy, onClick: save, children: "Save the choice" }), _jsx("button", { type: "button", onClick: onCancel, children: "Discard mine" })] })] }));
}
