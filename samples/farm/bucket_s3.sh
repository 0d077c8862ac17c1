#!/bin/bash
# SPDX-License-Identifier: MIT
# Objects for bucket_task.sh in a bucket of S3 or what speaks like it. S3_URL: s3://BUCKET/PREFIX, without a slash at its
# end. For Google's: gcloud storage cp; for Azure's: azcopy copy.
#   bucket_s3.sh get NAME FILE | put FILE NAME
set -eu
case $1 in
  get) exec aws s3 cp --only-show-errors "$S3_URL/$2" "$3" ;;
  put) exec aws s3 cp --only-show-errors "$2" "$S3_URL/$3" ;;
esac
