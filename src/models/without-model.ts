/** The note for an installation without a language model. */
export const WITHOUT_MODEL =
  'none is configured, so rules derive summaries, answers and data from the words of pages; set WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL for one';
