import { ORDERS_PER_BATCH } from '@lockstep/assets';

/**
 * SQL for a CTE after one called `completed`, which holds the rows of batches completed by this statement: stores their
 * events.
 */
export const RECORDING_COMPLETIONS = `
  insert into unnumbered_event (application_id, batch_id, type, completed_time, succeeded, failed, cancelled)
  select application_id, id, case when reopened_time is null then 'batch.completed' else 'batch.retried' end,
    completed_time, succeeded, failed, case when failed = 0 then 0 else (
      select count(*) from license_order
      where license_order.id >= completed.id * ${ORDERS_PER_BATCH} and license_order.id < (completed.id + 1) * ${ORDERS_PER_BATCH}
        and cause = 'cancelled'
    ) end
  from completed order by id`;

/** The columns that `completed` must return. */
export const COMPLETED_COLUMNS = `
  batch.id, application_id, completed_time, batch.succeeded, batch.failed, reopened_time`;
