/** `@freehold/react`: hooks over `@freehold/client` and TanStack Query. */
export { FreeholdProvider, useApp } from './provider.tsx';
export type { ReadOptions } from './read-options.ts';
export { useCount, useInfiniteList, useList, useRecord } from './reads.ts';
export type { CreateOf, EntityName, RecordOf, Register, Shown, Shows, UpdateOf } from './register.ts';
export { SessionChangedError } from './scope.ts';
export { type Provider, SignIn, type SignInTexts } from './sign-in.tsx';
export { useCan } from './use-can.ts';
export { useSession } from './use-session.ts';
export { useWorkspaces } from './use-workspaces.ts';
export { type Update, useCreate, useDelete, useUpdate } from './writes.ts';
