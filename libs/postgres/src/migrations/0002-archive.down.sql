DROP TABLE archive_file_hours, archive_files, archive_folder;
