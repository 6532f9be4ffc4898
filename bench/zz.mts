import { reportWhole } from './whole.js'
await reportWhole((l) => console.log(l), 10000, 90000)
