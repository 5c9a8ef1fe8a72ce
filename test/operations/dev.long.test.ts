import { copyFileSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../harness/network/redis.ts';
import {
  endEverything,
  findProcess,
  livingProcesses,
  newDataDir,
  REPOSITORY,
  startJob,
} from '../harness/processes/processes.ts';

afterAll(endEverything);

it('npm run dev restarts the service after a change, serves the console by Vite, and leaves no process', async () => {
  const [dataDir, port] = [newDataDir(), await freePort()];
  const job = startJob(['npm', 'run', 'dev'], { DATA_DIR: dataDir, PORT: String(port) });
  await job.line(/is ready at/);
  const [, vite] = /Local: +(\S+)/.exec(await job.line(/Local:/))!;
  expect(await (await fetch(`${vite}batches`)).text()).toMatch(/@react-refresh.*<base href="\/console\/">/s);
  // Vite forwards the console's calls to the service.
  expect((await fetch(`${vite}api/session`)).status).toBe(401);

  // Change the date, then replace the file, as git and some editors do.
  const file = join(REPOSITORY, 'apps/cli/src/start.ts');
  utimesSync(file, new Date(), new Date());
  await job.shown(/Restarting .*INFO: stopping.*is ready at/s);
  copyFileSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
  await job.shown(/Restarting .*is ready at.*Restarting .*is ready at/s);
  expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);

  const { status } = await job.endGroup('SIGINT');
  expect({ status, left: livingProcesses({ job, dataDir }) }).toEqual({ status: 0, left: [] });
});

it('npm run dev exits with status 1 when Vite exits', async () => {
  const dataDir = newDataDir();
  const job = startJob(['npm', 'run', 'dev'], { DATA_DIR: dataDir, PORT: '0' });
  await job.line(/Local:/);
  process.kill(findProcess(job, 'vite.js'), 'SIGKILL');
  const { status, stderr } = await job.ended;
  expect({ status, left: livingProcesses({ job, dataDir }) }).toEqual({ status: 1, left: [] });
  expect(stderr).toMatch(/^dev: .*\(SIGKILL\)/m);
});
