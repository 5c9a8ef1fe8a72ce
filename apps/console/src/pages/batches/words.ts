import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const batchesWords = defineWords({
  en: { batches: 'Batches', batch: 'Batch' },
  zh: { batches: '批次', batch: '批次' },
});
