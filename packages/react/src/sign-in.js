import { jsx as _jsx, jsxs as _jsxs } from "react/jsx-runtime";
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { useApp } from './app-context.ts';
import { appKey } from './scope.ts';
const english = {
    title: 'Sign in',
    email: 'Email',
    password: 'Password',
    submit: 'Sign in',
    signUp: 'A new email address makes an account; its password has at least 10 characters.',
    provider: (name) => `Continue with ${name}`,
    noWay: 'This app offers no way to sign in here.',
};
/**
 * A form to sign in: by password, and by the providers of the app. It brings no styles; the classes begin with `fh-`.
 */
export function SignIn({ onProvider, onSignedIn, texts, children }) {
    const app = useApp();
    const offers = useOffers(app);
    const { error, isBusy, enter } = useEntering(onSignedIn);
    const words = { ...english, ...texts };
    const titleId = useId();
    const providers = onProvider === undefined ? [] : (offers.data?.items ?? []);
    const withPassword = offers.data?.password_login.enabled ?? false;
    return (_jsxs("section", { className: "fh-sign-in", "aria-labelledby": titleId, children: [_jsx("h1", { id: titleId, children: words.title }), _jsx("p", { className: "fh-error", role: "alert", children: offers.error?.message ?? error }), withPassword && (_jsx(PasswordForm, { words: words, isBusy: isBusy, allowsSignUp: offers.data?.password_login.allow_signup ?? false, onSubmit: (credentials) => enter(() => app.signIn(credentials)) })), providers.length > 0 && (_jsx("ul", { className: "fh-providers", children: providers.map((provider) => (_jsx("li", { children: _jsx("button", { type: "button", className: "fh-provider", disabled: isBusy, onClick: () => void enter(async () => {
                            if (onProvider !== undefined)
                                await app.signInWithToken(await onProvider(provider));
                        }), children: words.provider(provider.name) }) }, provider.issuer))) })), offers.data !== undefined && !withPassword && providers.length === 0 && _jsx("p", { children: words.noWay }), children] }));
}
/** What `/providers` says is the same for every user. */
function useOffers(app) {
    return useQuery({
        queryKey: ['freehold-public', ...appKey(app), 'providers'],
        queryFn: () => app.request('GET', '/providers', { headers: { 'client-id': app.options.clientId } }),
        staleTime: 300000,
        retry: false,
    });
}
function useEntering(onSignedIn) {
    const [error, setError] = useState();
    const [isBusy, setBusy] = useState(false);
    const enter = async (way) => {
        // Emptied first: the same sentence a second time would be announced to no one.
        setError(undefined);
        setBusy(true);
        try {
            await way();
            onSignedIn?.();
            return true;
        }
        catch (reason) {
            setError(reason instanceof Error ? reason.message : String(reason));
            return false;
        }
        finally {
            setBusy(false);
        }
    };
    return { error, isBusy, enter };
}
function PasswordForm({ words, isBusy, allowsSignUp, onSubmit }) {
    const [email, setEmail] = useState('');
    const [password, setPassword] = useState('');
    const passwordInput = useRef(null);
    const hintId = useId();
    const [emailId, passwordId] = [useId(), useId()];
    const submit = async (event) => {
        event.preventDefault();
        if (await onSubmit({ email, password }))
            return;
        passwordInput.current?.focus();
        passwordInput.current?.select();
    };
    return (_jsxs("form", { className: "fh-form", onSubmit: (event) => void submit(event), children: [_jsx("label", { htmlFor: emailId, children: words.email }), _jsx("input", { id: emailId, className: "fh-input", type: "email", autoComplete: "username", required: true, value: email, onChange: (event) => setEmail(event.target.value) }), _jsx("label", { htmlFor: passwordId, children: words.password }), _jsx("input", { id: passwordId, ref: passwordInput, className: "fh-input", type: "password", autoComplete: "current-password", required: true, "aria-describedby": allowsSignUp ? hintId : undefined, value: password, onChange: (event) => setPassword(event.target.value) }), allowsSignUp && (_jsx("p", { id: hintId, className: "fh-hint", children: words.signUp })), _jsx("button", { type: "submit", className: "fh-submit", disabled: isBusy, children: words.submit })] }));
}
