import { jsx as _jsx } from "react/jsx-runtime";
/** Why the platform refused a call, as an alert; nothing where it did not. */
export function Refusal({ error }) {
    if (error === null)
        return null;
    return (_jsx("p", { className: "refusal", role: "alert", children: error.message }));
}
