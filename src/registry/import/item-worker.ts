import { parentPort, workerData } from 'node:worker_threads'
import { readFileItems, type FileRequest } from './file-formats.js'
import { readCsvItems, type CsvRequest } from './import-csv.js'
import { sendItems, type ItemTask } from './item-thread.js'

// Entry point of the thread that reads the items of large files.
const task = workerData as ItemTask<CsvRequest | FileRequest>
if (parentPort === null) throw new Error('this file is the code of a thread')
await sendItems(parentPort, task, (request, options) =>
  request.kind === 'csv' ? readCsvItems(request, options) : readFileItems(request, options),
)
