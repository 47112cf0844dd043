/** The pages that come before the console, and the root of all addresses. */
import { createRootRoute, createRoute, notFound, Outlet, redirect } from '@tanstack/react-router';
import { queryClient } from './api/query-client.ts';
import { meQuery } from './api/session.ts';
import { lazyRouteComponent } from './components/lazy.tsx';
import { NotFound } from './components/not-found.tsx';
import { ScreenError } from './components/screen-error.tsx';
import { type CommandSignInSearch, readCommandSignIn } from './screens/accounts/command-sign-in.ts';
import { readNext } from './screens/accounts/next-search.ts';
import { enterOrg } from './shell/enter-org.ts';

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: ScreenError });

const accounts = () => import('./screens/accounts/sign-in.tsx');

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readNext,
  component: lazyRouteComponent(accounts, 'SignIn'),
});
const signInLink = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/link',
  component: lazyRouteComponent(() => import('./screens/accounts/sign-in-link.tsx'), 'SignInLink'),
});
/** Where `freehold login` sends its user. */
const cliLogin = createRoute({
  getParentRoute: () => root,
  path: '/cli-login',
  validateSearch: (search: Record<string, unknown>): CommandSignInSearch => readCommandSignIn(search),
  beforeLoad: async ({ search, location }) => {
    const me = await queryClient.ensureQueryData(meQuery).catch(() => undefined);
    const entered = me === undefined ? 'signed out' : await enterOrg(search.org ?? me.org.code);
    if (entered === 'signed out') throw redirect({ to: '/sign-in', search: { next: location.href } });
    if (entered === 'needs factor') throw redirect({ to: '/second-factor', search: { next: location.href } });
    if (entered === 'no member') throw notFound();
  },
  component: lazyRouteComponent(() => import('./screens/accounts/cli-login.tsx'), 'CliLogin'),
});
/** As it came, before the router reads it: a code of digits alone stays a text. */
const arrived = new URLSearchParams(window.location.search);

/** Where a sign-in provider that is tried out leads back to. */
const signInTest = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-test',
  beforeLoad: async ({ preload }) => {
    if (preload) return;
    const { receiveSignIn } = await import('./screens/settings/providers/started-sign-in.ts');
    const returned = receiveSignIn(arrived);
    if (returned === undefined) return;
    const { org, env } = returned.begun;
    throw redirect({ to: '/o/$org/$env/settings/providers', params: { org, env }, search: { test: 'result' } });
  },
  component: lazyRouteComponent(() => import('./screens/settings/providers/sign-in-returned.tsx'), 'SignInReturned'),
});
/** Where a member adds the second factor that the org requires. */
const secondFactor = createRoute({
  getParentRoute: () => root,
  path: '/second-factor',
  validateSearch: readNext,
  beforeLoad: async () => {
    const me = await queryClient.ensureQueryData(meQuery).catch(() => undefined);
    if (me === undefined) throw redirect({ to: '/sign-in' });
  },
  component: lazyRouteComponent(() => import('./screens/account/second-factor/required-factor.tsx'), 'RequiredFactor'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./screens/accounts/sign-up.tsx'), 'SignUp'),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./screens/accounts/forgot-password.tsx'), 'ForgotPassword'),
});
/** The two paths that mails lead to, with the code behind a `#`, which no server sees. */
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./screens/accounts/reset-password.tsx'), 'ResetPassword'),
});
const acceptInvitation = createRoute({
  getParentRoute: () => root,
  path: '/accept-invitation',
  component: lazyRouteComponent(() => import('./screens/accounts/accept-invitation.tsx'), 'AcceptInvitation'),
});

export const accountRoutes = [
  signIn,
  signInLink,
  cliLogin,
  signInTest,
  secondFactor,
  signUp,
  forgotPassword,
  resetPassword,
  acceptInvitation,
] as const;
