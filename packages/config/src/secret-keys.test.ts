import { createLogger } from '@lockstep/platform';
import { expect, it } from 'vitest';
import { SECRET_KEYS } from './secret-keys.ts';

it.each([
  ...['authorization', 'clientToken', 'userToken', 'token', 'password', 'passwords', 'passwordMobile', 'appSecret'],
  ...['secret', 'secrets', 'old_secret'],
])('a log shows nothing of %s', (key) => {
  const lines: string[] = [];
  const log = createLogger(
    { name: 'test', level: 'info', secrets: SECRET_KEYS },
    { write: (line) => void lines.push(line) },
  );
  log.info({ [key]: 's3cret', inside: { [key]: ['s3cret'] } });
  expect(lines.join()).toContain('[redacted]');
  expect(lines.join()).not.toContain('s3cret');
});
