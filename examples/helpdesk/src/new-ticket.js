import { Fragment as _Fragment, jsx as _jsx, jsxs as _jsxs } from "react/jsx-runtime";
import { useCan, useCreate, useList } from '@freehold/react';
import { useState } from 'react';
import { Refusal } from './refusal.tsx';
export function NewTicket() {
    const [subject, setSubject] = useState('');
    const [customer, setCustomer] = useState('');
    const creation = useCreate('ticket');
    const submit = async (event) => {
        event.preventDefault();
        const created = await creation
            .mutateAsync({ subject, ...(customer !== '' && { customer_id: customer }) })
            .catch(() => undefined);
        if (created !== undefined)
            location.replace(`#/tickets/${created.id}`);
    };
    return (_jsxs(_Fragment, { children: [_jsx("a", { className: "back", href: "#/", children: "\u2190 All tickets" }), _jsx("h1", { tabIndex: -1, children: "New ticket" }), _jsxs("form", { className: "card form", onSubmit: (event) => void submit(event), children: [_jsxs("label", { children: ["Subject", _jsx("input", { required: true, maxLength: 120, value: subject, onChange: (event) => setSubject(event.target.value) })] }), _jsx(CustomerChoice, { value: customer, onChange: setCustomer }), _jsx(Refusal, { error: creation.error }), _jsx("div", { className: "buttons", children: _jsx("button", { type: "submit", className: "primary", disabled: creation.isPending, children: "Create" }) })] })] }));
}
/** Requesters see no customers, so they choose none. */
function CustomerChoice({ value, onChange }) {
    const mayList = useCan('list', 'customer') === true;
    const customers = useList('customer', { pageSize: 200, fields: ['name'] }, { enabled: mayList });
    if (!mayList)
        return null;
    const sorted = (customers.data?.items ?? []).toSorted((one, other) => one.name.localeCompare(other.name));
    return (_jsxs("label", { children: ["Customer", _jsxs("select", { value: value, onChange: (event) => onChange(event.target.value), children: [_jsx("option", { value: "", children: "None" }), sorted.map(({ id, name }) => (_jsx("option", { value: id, children: name }, id)))] })] }));
}
/** A link to the form of a new ticket, for those who may make one. */
export function NewTicketLink() {
    return useCan('create', 'ticket') === true ? (_jsx("a", { className: "button primary", href: "#/new", children: "New ticket" })) : null;
}
