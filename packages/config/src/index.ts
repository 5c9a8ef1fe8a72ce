export * from './environment.ts';
export { RELEASE } from './release.ts';
export { SECRET_KEYS } from './secret-keys.ts';
