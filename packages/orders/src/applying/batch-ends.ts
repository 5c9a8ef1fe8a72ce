import { ORDERS_PER_BATCH } from '@lockstep/assets';

/** For a CTE behind one called `ended`, with the rows of batches that end in this statement: stores their events. */
export const NOTING_ENDS = `
  insert into unnumbered_event (application_id, batch_id, type, completed_time, succeeded, failed, cancelled)
  select application_id, id, case when reopened_time is null then 'batch.completed' else 'batch.retried' end,
    completed_time, succeeded, failed, case when failed = 0 then 0 else (
      select count(*) from license_order
      where license_order.id >= ended.id * ${ORDERS_PER_BATCH} and license_order.id < (ended.id + 1) * ${ORDERS_PER_BATCH}
        and cause = 'cancelled'
    ) end
  from ended order by id`;

/** For the columns that `ended` returns. */
export const ENDED_COLUMNS = `
  batch.id, application_id, completed_time, batch.succeeded, batch.failed, reopened_time`;
