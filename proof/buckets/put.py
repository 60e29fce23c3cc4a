"""Puts what lies in folders into a bucket of an S3 server that has none yet: put.py ENDPOINT BUCKET NAME=FOLDER..."""

import sys
import time
from pathlib import Path

import boto3
from botocore.exceptions import EndpointConnectionError

endpoint, bucket, *folders = sys.argv[1:]
s3 = boto3.client("s3", endpoint_url=endpoint)
for last in [False] * 100 + [True]:
    try:
        s3.create_bucket(Bucket=bucket)
        break
    except EndpointConnectionError:
        # It is still starting.
        if last:
            raise
        time.sleep(0.2)
for name, folder in (pair.split("=", 1) for pair in folders):
    files = [file for file in Path(folder).rglob("*") if file.is_file()]
    for file in files:
        s3.upload_file(str(file), bucket, f"{name}/{file.relative_to(folder)}")
    print(f"{name}: {len(files)} files")
