import { ReviewPage } from './review-page.js'

void new ReviewPage().start()
